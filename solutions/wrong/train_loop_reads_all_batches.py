"""train_loop: list(batches) first"""

_right_train = train


def train(model, optimizer, batches, loss_fn):
    return _right_train(model, optimizer, list(batches), loss_fn)
