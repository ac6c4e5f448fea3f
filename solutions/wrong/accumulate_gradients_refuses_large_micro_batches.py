"""accumulate_gradients: a micro-batch of more rows than the batch is refused

Breaks: may be more than the batch has
"""

_right = accumulate_gradients


def accumulate_gradients(model, inputs, targets, loss_fn, micro_batch):
    if micro_batch > len(inputs):
        raise ValueError("expected a micro-batch within the batch")
    return _right(model, inputs, targets, loss_fn, micro_batch)
