"""bytes_per_element: a table of the dtypes in the lecture, all others taken for 4 bytes

Breaks: Bytes that one element of a tensor takes

Breaks: integer, bool, complex, quantized, or bits
"""


def bytes_per_element(dtype):
    table = {torch.float64: 8, torch.float32: 4, torch.float16: 2, torch.bfloat16: 2}
    table |= {torch.int64: 8, torch.int32: 4, torch.uint8: 1, torch.int8: 1, torch.bool: 1}
    if not isinstance(dtype, torch.dtype):
        raise TypeError("expected a torch.dtype")
    return table.get(dtype, 4)
