"""storage_index: an offset is taken for a position, and refused if it is negative

Breaks: The position in storage, in elements: `sum(index[d] * strides[d]) + offset`.
"""


def storage_index(index, strides, offset=0):
    if len(index) != len(strides) or any(i < 0 for i in index):
        raise ValueError(f"expected an index that is not negative for each stride, got {index}")
    if offset < 0:
        raise ValueError(f"expected no negative offset, got {offset}")
    return sum(i * s for i, s in zip(index, strides)) + offset
