"""activation_memory: a micro-batch must fit into the budget with one layer's input alone

Breaks: bytes that the activations may take, as `activation_bytes` counts them

Breaks: so that only one micro-batch's activations are held at a time
"""

_right_size = micro_batch_size


def micro_batch_size(batch, width, layers, dtype, budget):
    _right_size(batch, width, layers, dtype, budget)
    return _right_size(batch, width, min(layers, 1), dtype, budget)
