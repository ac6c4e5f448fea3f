"""gather: only elements are checked, so a layout without elements is never refused

Breaks: `shape` and `strides` differ in length, or a size is negative.

Breaks: and a negative size is refused even if another is 0.
"""

_gather = gather


def gather(storage, shape, strides, offset=0):
    if not list(itertools.product(*map(range, shape))):
        return storage.new_empty([max(size, 0) for size in shape])
    return _gather(storage, shape, strides, offset)
