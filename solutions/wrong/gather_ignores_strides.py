"""gather: the elements after the offset are given the shape, whatever the strides are

Breaks: The tensor that a layout describes in flat storage
"""

import itertools


def gather(storage, shape, strides, offset=0):
    index = [storage_index(i, strides, offset) for i in itertools.product(*map(range, shape))]
    if any(not 0 <= i < len(storage) for i in index):
        raise IndexError("out of range")
    count = math.prod(shape)
    return storage.repeat(count + 1)[max(offset, 0) :][:count].clone().reshape(shape)
