"""gather: a negative stride is refused, as torch does

Breaks: In every function a stride may be 0 (repeated elements) or negative (backwards, as in numpy;

Breaks: Layouts may repeat elements, overlap (windows), and go backwards.
"""

import itertools


def gather(storage, shape, strides, offset=0):
    if any(s < 0 for s in strides):
        raise ValueError("negative stride")
    index = [storage_index(i, strides, offset) for i in itertools.product(*map(range, shape))]
    if any(not 0 <= i < len(storage) for i in index):
        raise IndexError("out of range")
    return storage[index].reshape(shape)
