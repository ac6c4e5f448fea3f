"""storage_index: the offset is forgotten

Breaks: The element at `index` is at position `sum(index[d] * strides[d]) + offset`.

Breaks: The position in storage, in elements: `sum(index[d] * strides[d]) + offset`.
"""


def storage_index(index, strides, offset=0):
    if len(index) != len(strides) or any(i < 0 for i in index):
        raise ValueError("index does not fit")
    return sum(i * s for i, s in zip(index, strides, strict=True))
