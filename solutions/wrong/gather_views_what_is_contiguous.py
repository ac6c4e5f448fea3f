"""gather: a contiguous layout shares its storage, only the others are copied

Breaks: It shares no memory with `storage`.
"""

_gather = gather


def gather(storage, shape, strides, offset=0):
    found = _gather(storage, shape, strides, offset)
    if is_contiguous(shape, strides) and found.numel():
        return storage[offset : offset + found.numel()].view(tuple(shape))
    return found
