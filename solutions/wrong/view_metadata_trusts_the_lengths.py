"""view_metadata: a shape and strides of different lengths are cut to fit by zip

Breaks: `shape` and `strides` differ in length,
"""

_transpose, _slice_dim, _select = transpose, slice_dim, select


def _cut(shape, strides):
    pairs = list(zip(shape, strides, strict=False))
    return [size for size, _ in pairs], [stride for _, stride in pairs]


def transpose(shape, strides, *rest):
    return _transpose(*_cut(shape, strides), *rest)


def slice_dim(shape, strides, *rest):
    return _slice_dim(*_cut(shape, strides), *rest)


def select(shape, strides, *rest):
    return _select(*_cut(shape, strides), *rest)
