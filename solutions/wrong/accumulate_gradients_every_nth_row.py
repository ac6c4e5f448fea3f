"""accumulate_gradients: a micro-batch takes every n-th row, not a slice

Breaks: Micro-batches are slices of `micro_batch` rows, in order
"""

_right = accumulate_gradients


def accumulate_gradients(model, inputs, targets, loss_fn, micro_batch):
    if micro_batch < 1 or len(inputs) == 0 or len(inputs) != len(targets):
        raise ValueError
    parts = -(-len(inputs) // micro_batch)
    order = [row for first in range(parts) for row in range(first, len(inputs), parts)]
    return _right(model, inputs[order], targets[order], loss_fn, micro_batch)
