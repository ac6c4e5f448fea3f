"""fp16_train: a growth_interval of 0 is taken for 1

Breaks: at least 1
"""

_right_train = train_fp16


def train_fp16(model, optimizer, batches, loss_fn, *, growth_interval, **settings):
    growth_interval = max(growth_interval, 1)
    return _right_train(
        model, optimizer, batches, loss_fn, growth_interval=growth_interval, **settings
    )
