"""bytes_per_element (core): a table of the lecture's dtypes, all others taken for one byte

Breaks: integer, bool, complex, quantized, or bits
"""


def bytes_per_element(dtype):
    table = {torch.float64: 8, torch.float32: 4, torch.float16: 2, torch.bfloat16: 2}
    table |= {torch.int64: 8, torch.int32: 4, torch.int16: 2, torch.complex64: 8}
    return table.get(dtype, 1)
