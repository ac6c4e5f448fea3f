"""block_scaled: each row is rounded up to whole bytes by itself

Breaks: Each part is packed bit by bit, and rounded up to whole bytes once, at its end
"""


def block_scaled_bytes(shape, element_bits, block_size, scale_bits, tensor_scale_bits=0):
    if any(size < 0 for size in shape) or tensor_scale_bits < 0:
        raise ValueError("negative")
    *rows, row = shape or (1,)
    scales = _divide_up(_divide_up(row, block_size) * scale_bits, 8)
    each = _divide_up(row * element_bits, 8) + scales
    return math.prod(rows) * each + _divide_up(tensor_scale_bits, 8)
