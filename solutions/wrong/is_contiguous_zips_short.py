"""is_contiguous: a shape and strides of different lengths are cut to fit by zip

Breaks: `shape` and `strides` differ in length,
"""

_is_contiguous = is_contiguous


def is_contiguous(shape, strides):
    _check_sizes(shape)
    pairs = list(zip(shape, strides, strict=False))
    return _is_contiguous([size for size, _ in pairs], [stride for _, stride in pairs])
