"""train_loop: the model gets the mode back that it had

Breaks: and stays in it
"""

_right_train = train


def train(model, optimizer, batches, loss_fn):
    was_training = model.training
    losses = _right_train(model, optimizer, batches, loss_fn)
    model.train(was_training)
    return losses
