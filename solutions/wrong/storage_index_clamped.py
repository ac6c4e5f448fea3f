"""storage_index: refuses a position before the start as a sanity check

Breaks: The position in storage, in elements: `sum(index[d] * strides[d]) + offset`
"""


def storage_index(index, strides, offset: int = 0) -> int:
    if len(index) != len(strides):
        raise ValueError(f"{len(index)} indices for {len(strides)} strides")
    if any(i < 0 for i in index):
        raise ValueError(f"negative index in {tuple(index)}")
    position = offset + sum(i * s for i, s in zip(index, strides, strict=True))
    if position < 0:
        raise ValueError(f"position {position} lies before the storage")
    return position
