"""storage_bytes: a set of sizes, in which different storages of one size are one

Breaks: Copies (`clone`, `contiguous` of a transpose) have their own storage

Breaks: The bytes of all storages that the tensors use
"""


def storage_bytes(tensors):
    return sum({t.untyped_storage().nbytes() for t in tensors if not t.is_meta})
