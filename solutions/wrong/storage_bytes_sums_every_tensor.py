"""storage_bytes: each tensor's own elements are added up, so that views are paid for again"""


def storage_bytes(tensors):
    return sum(t.numel() * t.element_size() for t in tensors if not t.is_meta)
