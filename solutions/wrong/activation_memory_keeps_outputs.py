"""activation_memory: the last layer's output is kept as well

Breaks: Each layer keeps its input, a batch × width tensor.
"""

_right_bytes = activation_bytes


def activation_bytes(batch, width, layers, dtype):
    _right_bytes(batch, width, layers, dtype)
    return _right_bytes(batch, width, layers + 1, dtype) if layers else 0
