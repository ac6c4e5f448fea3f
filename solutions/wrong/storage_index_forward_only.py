"""storage_index: a negative stride is refused, as torch does

Breaks: In every function a stride may be 0 (repeated elements) or negative (backwards, as in numpy;
"""

_storage_index = storage_index


def storage_index(index, strides, offset=0):
    if any(stride < 0 for stride in strides):
        raise ValueError("negative stride")
    return _storage_index(index, strides, offset)
