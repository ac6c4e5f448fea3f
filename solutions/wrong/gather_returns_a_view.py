"""gather: the tensor shares its storage

Breaks: as a copy.

Breaks: It shares no memory with `storage`.
"""

import itertools


def gather(storage, shape, strides, offset=0):
    if math.prod(shape) == 0:
        return storage.new_empty(tuple(shape))
    steps = [(n - 1) * s for n, s in zip(shape, strides, strict=True)]
    low, high = sum(min(s, 0) for s in steps), sum(max(s, 0) for s in steps)
    if offset + low < 0 or offset + high >= len(storage):
        raise IndexError("out of range")
    for size, stride in zip(shape, strides, strict=True):
        if size > 1 and stride < 0:  # which torch has not
            index = [
                storage_index(i, strides, offset) for i in itertools.product(*map(range, shape))
            ]
            return storage[index].reshape(shape)
    strides = [s if n > 1 else 0 for n, s in zip(shape, strides, strict=True)]
    step = storage.stride(0)
    at = storage.storage_offset() + offset * step
    return torch.as_strided(storage, tuple(shape), [s * step for s in strides], at)
