"""block_scaled: a scalar, of shape (), is taken for a row without elements

Breaks: () is a scalar, one row of one element
"""


def block_scaled_bytes(shape, element_bits, block_size, scale_bits, tensor_scale_bits=0):
    if any(size < 0 for size in shape) or tensor_scale_bits < 0:
        raise ValueError("negative")
    *rows, row = shape or (0,)
    elements = math.prod(rows) * row
    blocks = math.prod(rows) * _divide_up(row, block_size)
    parts = elements * element_bits, blocks * scale_bits, tensor_scale_bits
    return sum(_divide_up(bits, 8) for bits in parts)
