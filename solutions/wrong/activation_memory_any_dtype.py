"""activation_memory: torch's itemsize is believed, which is 1 for elements of 4 bits

Breaks: the dtype's elements are not a whole number of bytes
"""

_right_bytes = activation_bytes


def activation_bytes(batch, width, layers, dtype):
    if isinstance(dtype, torch.dtype):
        return _right_bytes(batch, width, layers, torch.int8) * dtype.itemsize
    return _right_bytes(batch, width, layers, dtype)
