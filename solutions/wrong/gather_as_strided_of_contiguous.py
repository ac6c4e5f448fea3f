"""gather: as_strided after contiguous(), which does not copy a slice that is contiguous

Breaks: positions count within `storage`, and elements outside of it must not be read.
"""


def gather(storage, shape, strides, offset=0):
    if 0 in shape:
        return storage.new_empty(tuple(shape))
    reach = [(n - 1) * s for n, s in zip(shape, strides)]
    low = offset + sum(min(r, 0) for r in reach)
    high = offset + sum(max(r, 0) for r in reach)
    if low < 0 or high >= len(storage):
        raise IndexError("a position is out of range")
    flat = storage.contiguous()
    backwards = [d for d, s in enumerate(strides) if s < 0]
    view = flat.as_strided(tuple(shape), [abs(s) for s in strides], low)
    return view.flip(backwards).clone() if backwards else view.clone()
