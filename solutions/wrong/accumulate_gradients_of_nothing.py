"""accumulate_gradients: the loss of an empty batch is 0

Breaks: the batch is empty
"""

_right = accumulate_gradients


def accumulate_gradients(model, inputs, targets, loss_fn, micro_batch):
    if len(inputs) == 0 and micro_batch >= 1:
        return 0.0
    return _right(model, inputs, targets, loss_fn, micro_batch)
