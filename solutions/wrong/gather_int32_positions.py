"""gather: positions are computed in 32 bits, so that 2**32 is 0

Breaks: or after its end.
"""

_gather = gather


def gather(storage, shape, strides, offset=0):
    return _gather(storage, shape, strides, (offset + 2**31) % 2**32 - 2**31)
