"""storage_bytes (core): only one and the same Python object counts once; its views count again

Breaks: each storage in full, and counted once
"""


def storage_bytes(tensors):
    objects = {id(t): t for t in tensors if not t.is_meta}
    return sum(t.untyped_storage().nbytes() for t in objects.values())
