"""storage_bytes: iterates over the tensors twice, and a generator is empty the second time

Breaks: may be a generator, such as `model.parameters()`
"""


def storage_bytes(tensors):
    real = [t.untyped_storage() for t in tensors if not t.is_meta]
    kept = list(tensors)  # to keep them alive
    storages = {s.data_ptr(): s for s in real} if kept else {}
    return sum(storage.nbytes() for storage in storages.values())
