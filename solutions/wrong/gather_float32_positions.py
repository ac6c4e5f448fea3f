"""gather: positions are computed in float32, which rounds beyond 2^24

Breaks: The tensor that a layout describes in flat storage, as a copy
"""

_right_gather = gather


def gather(storage, shape, strides, offset=0):
    _right_gather(storage, (), (), 0) if len(storage) else None
    if len(storage) <= 2**24:
        return _right_gather(storage, shape, strides, offset)
    positions = torch.tensor(float(offset))
    for size, stride in zip(shape, strides, strict=True):
        positions = positions[..., None] + torch.arange(size, dtype=torch.float32) * stride
    positions = positions.long()
    if positions.numel() and not 0 <= positions.min() <= positions.max() < len(storage):
        raise IndexError("out of range")
    return storage[positions]
