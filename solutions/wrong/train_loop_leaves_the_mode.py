"""train_loop: a model in evaluation mode stays in it"""

_right_train = train


def train(model, optimizer, batches, loss_fn):
    model.train = lambda mode=True: model
    return _right_train(model, optimizer, batches, loss_fn)
