"""storage_index: the position is given in bytes of float32

Breaks: all counted in elements, never in bytes.

Breaks: The position in storage, in elements:
"""

_storage_index = storage_index


def storage_index(index, strides, offset=0):
    return 4 * _storage_index(index, strides, offset)
