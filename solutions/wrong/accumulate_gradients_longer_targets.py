"""accumulate_gradients: targets beyond the inputs are left out

Breaks: inputs and targets differ in length
"""

_right = accumulate_gradients


def accumulate_gradients(model, inputs, targets, loss_fn, micro_batch):
    return _right(model, inputs, targets[: len(inputs)], loss_fn, micro_batch)
