"""storage_bytes: a table has the bytes of common dtypes, and others are not in it

Breaks: tensors: dense tensors of any dtypes, whose memory torch allocated;
"""

_SIZES = {
    torch.float64: 8,
    torch.float32: 4,
    torch.bfloat16: 2,
    torch.int64: 8,
    torch.uint8: 1,
}
_right_storage_bytes = storage_bytes


def storage_bytes(tensors):
    return _right_storage_bytes(t for t in tensors if _SIZES[t.dtype])
