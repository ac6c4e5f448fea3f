"""storage_index: an index that is too short or too long is cut to fit by zip

Breaks: `index` and `strides` differ in length,
"""


def storage_index(index, strides, offset=0):
    if any(i < 0 for i in index):
        raise ValueError("negative index")
    return sum(i * s for i, s in zip(index, strides, strict=False)) + offset
