"""tensor_bytes: only an empty tuple is a scalar, and nothing is left to multiply in an empty list

Breaks: () is a scalar, which is one element
"""


def tensor_bytes(shape, dtype):
    import functools
    import operator

    if shape == ():
        return bytes_per_element(dtype)
    if any(size < 0 for size in shape):
        raise ValueError(f"expected no negative size, got {tuple(shape)}")
    return functools.reduce(operator.mul, shape) * bytes_per_element(dtype)
