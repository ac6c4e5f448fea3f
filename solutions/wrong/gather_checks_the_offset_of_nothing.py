"""gather: an offset outside of storage is refused even where nothing is read

Breaks: Without elements nothing is read, and any offset is valid.
"""

import itertools


def gather(storage, shape, strides, offset=0):
    index = [storage_index(i, strides, offset) for i in itertools.product(*map(range, shape))]
    if any(not 0 <= i < len(storage) for i in [offset, *index]):
        raise IndexError("out of range")
    return storage[index].reshape(shape)
