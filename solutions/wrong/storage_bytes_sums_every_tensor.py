"""storage_bytes: each tensor's own elements are added up, so that views are paid for again

Breaks: Bytes of memory that a set of tensors holds together

Breaks: they take no additional memory, and each keeps the whole storage alive, even a view without
elements

Breaks: The same tensor may occur several times
"""


def storage_bytes(tensors):
    return sum(t.numel() * t.element_size() for t in tensors if not t.is_meta)
