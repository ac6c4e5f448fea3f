"""train_loop: batches are converted to float32, which a model in float64 refuses

Breaks: Everything here works with any model and loss of torch
"""

_right_train = train


def train(model, optimizer, batches, loss_fn):
    converted = ((inputs.float(), targets.float()) for inputs, targets in batches)
    return _right_train(model, optimizer, converted, loss_fn)
