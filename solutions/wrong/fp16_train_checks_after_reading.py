"""fp16_train: all batches are read before a setting is looked at

Breaks: No batch has been read
"""

_right_train = train_fp16


def train_fp16(model, optimizer, batches, loss_fn, **settings):
    return _right_train(model, optimizer, list(batches), loss_fn, **settings)
