"""gather: missing strides are 0, and those left over are ignored

Breaks: `shape` and `strides` differ in length,
"""

_gather = gather


def gather(storage, shape, strides, offset=0):
    _check_sizes(shape)
    strides = [*strides, *[0] * len(shape)][: len(shape)]
    return _gather(storage, shape, strides, offset)
