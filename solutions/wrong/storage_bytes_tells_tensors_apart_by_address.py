"""storage_bytes: storages are told apart by where a tensor begins, not where its storage does

Breaks: Views (rows, columns, slices, `transpose`, `view`, `expand`, also as another dtype)
"""


def storage_bytes(tensors):
    storages = {t.data_ptr(): t.untyped_storage() for t in tensors if not t.is_meta}
    return sum(storage.nbytes() for storage in storages.values())
