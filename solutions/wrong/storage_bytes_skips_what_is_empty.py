"""storage_bytes: a view without elements is taken to keep nothing alive

Breaks: each keeps the whole storage alive, even a view without elements
"""

_right_storage = storage_bytes


def storage_bytes(tensors):
    return _right_storage(t for t in tensors if t.numel())
