"""block_scaled: a row's last block has no scale if it is not full

Breaks: a row of n elements has n / block_size blocks, rounded up, and its last block has a whole
scale however few elements it has
"""


def block_scaled_bytes(shape, element_bits, block_size, scale_bits, tensor_scale_bits=0):
    if any(size < 0 for size in shape) or tensor_scale_bits < 0:
        raise ValueError("negative")
    *rows, row = shape or (1,)
    elements = math.prod(rows) * row
    blocks = math.prod(rows) * (row // block_size)
    parts = elements * element_bits, blocks * scale_bits, tensor_scale_bits
    return sum(_divide_up(bits, 8) for bits in parts)
