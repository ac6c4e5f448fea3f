"""gather: elements go through Python floats

Breaks: A tensor of this shape and of storage's dtype.
"""

import itertools


def gather(storage, shape, strides, offset=0):
    index = [storage_index(i, strides, offset) for i in itertools.product(*map(range, shape))]
    if any(not 0 <= i < len(storage) for i in index):
        raise IndexError("out of range")
    if storage.is_complex():
        return storage[index].reshape(shape)
    values = [float(storage[i]) for i in index]
    return torch.tensor(values, dtype=torch.float64).to(storage.dtype).reshape(shape)
