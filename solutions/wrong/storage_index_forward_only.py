"""storage_index: a negative stride is refused, as torch does"""

_storage_index = storage_index


def storage_index(index, strides, offset=0):
    if any(stride < 0 for stride in strides):
        raise ValueError("negative stride")
    return _storage_index(index, strides, offset)
