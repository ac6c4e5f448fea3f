"""block_scaled: rows are filled up to whole blocks, and the filling is paid for

Breaks: No elements are added to fill it
"""


def block_scaled_bytes(shape, element_bits, block_size, scale_bits, tensor_scale_bits=0):
    if any(size < 0 for size in shape) or tensor_scale_bits < 0:
        raise ValueError("negative")
    *rows, row = shape or (1,)
    blocks = math.prod(rows) * _divide_up(row, block_size)
    parts = blocks * block_size * element_bits, blocks * scale_bits, tensor_scale_bits
    return sum(_divide_up(bits, 8) for bits in parts)
