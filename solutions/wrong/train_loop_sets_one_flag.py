"""train_loop: the model is said to train, and the dropout inside is not

Breaks: The model is put into training mode first, so that dropout is on
"""

_right_train = train


def train(model, optimizer, batches, loss_fn):
    model.training = True
    model.train = lambda mode=True: model
    return _right_train(model, optimizer, batches, loss_fn)
