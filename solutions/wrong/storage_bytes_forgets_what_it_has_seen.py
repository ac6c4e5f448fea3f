"""storage_bytes: addresses are kept but no storages, so a freed one hides the next at its address

Breaks: or one that makes tensors and keeps none of them: all count
"""


def storage_bytes(tensors):
    seen, total = set(), 0
    for t in tensors:
        if not t.is_meta and t.untyped_storage().data_ptr() not in seen:
            seen.add(t.untyped_storage().data_ptr())
            total += t.untyped_storage().nbytes()
    return total
