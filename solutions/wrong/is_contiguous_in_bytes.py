"""storage_index: strides are compared with those in bytes of float32

Breaks: all counted in elements, never in bytes.
"""


def is_contiguous(shape, strides):
    wanted = [4 * stride for stride in row_major_strides(shape)]
    return math.prod(shape) == 0 or all(
        size == 1 or stride == right
        for size, stride, right in zip(shape, strides, wanted, strict=True)
    )
