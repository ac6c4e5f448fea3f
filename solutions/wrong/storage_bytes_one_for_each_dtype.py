"""storage_bytes: a view as another dtype counts as another storage

Breaks: Views (rows, columns, slices, `transpose`, `view`, `expand`, also as another dtype)
"""


def storage_bytes(tensors):
    storages = {}
    for t in tensors:
        if not t.is_meta:
            storage = t.untyped_storage()
            storages[storage.data_ptr(), t.dtype] = storage
    return sum(storage.nbytes() for storage in storages.values())
