"""gather: numpy's as_strided counts bytes, and gets the strides in elements

Breaks: all counted in elements, never in bytes.
"""

import itertools


def gather(storage, shape, strides, offset=0):
    index = [storage_index(i, strides, offset) for i in itertools.product(*map(range, shape))]
    if any(not 0 <= i < len(storage) for i in index):
        raise IndexError("out of range")
    size = storage.element_size()
    return storage[[i // size for i in index]].reshape(shape)
