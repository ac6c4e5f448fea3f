"""accumulate_gradients: leaves out the rows of a smaller last micro-batch"""

_right = accumulate_gradients


def accumulate_gradients(model, inputs, targets, loss_fn, micro_batch):
    if micro_batch < 1 or len(inputs) == 0 or len(inputs) != len(targets):
        raise ValueError
    kept = max(len(inputs) // micro_batch * micro_batch, 1)
    return _right(model, inputs[:kept], targets[:kept], loss_fn, micro_batch)
