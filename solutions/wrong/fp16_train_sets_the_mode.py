"""fp16_train: the model is put into training mode, as by `train`"""

_right_train = train_fp16


def train_fp16(model, optimizer, batches, loss_fn, **settings):
    model.train()
    return _right_train(model, optimizer, batches, loss_fn, **settings)
