"""tensor_bytes: bytes per element from finfo, which integers do not have

Breaks: Bytes of a dense tensor's elements

Breaks: the elements' dtype, as for `bytes_per_element`
"""

_right_tensor = tensor_bytes


def tensor_bytes(shape, dtype):
    _right_tensor(shape, dtype)
    return math.prod(shape) * torch.finfo(dtype).bits // 8
