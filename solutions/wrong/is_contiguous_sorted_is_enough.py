"""storage_index: descending strides are taken for contiguous, so gaps and broadcasts pass

Breaks: Whether the elements are stored in row-major order, without gaps or repeats.
"""


def is_contiguous(shape, strides):
    used = [s for n, s in zip(shape, strides, strict=True) if n != 1]
    return math.prod(shape) == 0 or used == sorted(used, reverse=True)
