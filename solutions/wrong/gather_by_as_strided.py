"""gather: as_strided counts in the whole storage, beyond the part that was given

Breaks: It may be part of a larger tensor, a slice or a column:

Breaks: positions count within `storage`, and elements outside of it must not be read.
"""

import itertools


def gather(storage, shape, strides, offset=0):
    if math.prod(shape) == 0:
        return storage.new_empty(tuple(shape))
    steps = [(n - 1) * s for n, s in zip(shape, strides, strict=True)]
    low, high = sum(min(s, 0) for s in steps), sum(max(s, 0) for s in steps)
    if offset + low < 0 or offset + high >= len(storage):
        raise IndexError("out of range")
    if low < 0:
        index = [storage_index(i, strides, offset) for i in itertools.product(*map(range, shape))]
        return storage[index].reshape(shape)
    strides = [s if n > 1 else 0 for n, s in zip(shape, strides, strict=True)]
    return torch.as_strided(storage, tuple(shape), strides, offset).clone()
