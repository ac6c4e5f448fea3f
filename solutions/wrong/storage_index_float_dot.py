"""storage_index: a dot product of floats, exact to 2**53 only

Breaks: The position in storage, in elements: `sum(index[d] * strides[d]) + offset`.
"""

_storage_index = storage_index


def storage_index(index, strides, offset=0):
    _storage_index(index, strides, offset)
    return int(sum(float(i) * s for i, s in zip(index, strides, strict=True))) + offset
