"""storage_index: without strides the offset is returned before the lengths are compared

Breaks: `index` and `strides` differ in length
"""


def storage_index(index, strides, offset=0):
    if not strides:
        return offset
    if len(index) != len(strides) or min(index) < 0:
        raise ValueError(f"expected one index for each of {strides}, got {index}")
    return sum(i * s for i, s in zip(index, strides)) + offset
