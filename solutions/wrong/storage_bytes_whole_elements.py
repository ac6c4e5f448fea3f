"""storage_bytes: a storage counts in elements of the tensor's dtype, without the bytes left over

Breaks: each storage in full
"""


def storage_bytes(tensors):
    found, alive = {}, []
    for t in tensors:
        if not t.is_meta:
            storage = t.untyped_storage()
            alive.append(storage)
            size = storage.nbytes() // t.element_size() * t.element_size()
            found[storage.data_ptr()] = max(found.get(storage.data_ptr(), 0), size)
    return sum(found.values())
