"""train_loop: a model in evaluation mode stays in it

Breaks: The model is put into training mode first, so that dropout is on
"""

_right_train = train


def train(model, optimizer, batches, loss_fn):
    model.train = lambda mode=True: model
    return _right_train(model, optimizer, batches, loss_fn)
