"""accumulate_gradients: only a micro-batch of 0 is refused, and a negative one runs nothing

Breaks: at least 1

Breaks: `micro_batch` is less than 1
"""

_right = accumulate_gradients


def accumulate_gradients(model, inputs, targets, loss_fn, micro_batch):
    if micro_batch < 0:
        return 0.0
    return _right(model, inputs, targets, loss_fn, micro_batch)
