"""gather: positions beyond the ends of storage are moved to the ends

Breaks: an element is before the start of storage or after its end.
"""

import itertools


def gather(storage, shape, strides, offset=0):
    index = [storage_index(i, strides, offset) for i in itertools.product(*map(range, shape))]
    if index and not len(storage):
        raise IndexError("no elements")
    return storage[[min(max(i, 0), len(storage) - 1) for i in index]].reshape(shape)
