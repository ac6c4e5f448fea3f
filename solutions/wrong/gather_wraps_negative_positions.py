"""gather: a position before the start of storage counts from its end, as in Python

Breaks: an element is before the start of storage

Breaks: A negative position does not count from the end.
"""

import itertools


def gather(storage, shape, strides, offset=0):
    index = [storage_index(i, strides, offset) for i in itertools.product(*map(range, shape))]
    return storage[index].reshape(shape)
