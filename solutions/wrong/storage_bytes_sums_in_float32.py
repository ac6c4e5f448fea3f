"""storage_bytes: the sum is in float32, which rounds beyond 2^24

Breaks: The bytes of all storages that the tensors use
"""


def storage_bytes(tensors):
    tensors = [tensor for tensor in tensors if not tensor.is_meta]
    storages = {tensor.untyped_storage().data_ptr(): tensor for tensor in tensors}
    sizes = [tensor.untyped_storage().nbytes() for tensor in storages.values()]
    return int(torch.tensor(sizes, dtype=torch.float32).sum())
