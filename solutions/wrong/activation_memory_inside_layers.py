"""activation_memory: what a layer computes before its nonlinearity is kept, too

Breaks: What happens inside a layer is not counted.
"""

_right_bytes = activation_bytes


def activation_bytes(batch, width, layers, dtype):
    return 2 * _right_bytes(batch, width, layers, dtype)
