"""block_scaled: the bits of all parts are added up before they are rounded to bytes

Breaks: There are three parts, stored separately: the elements of all rows, the scales of all
blocks, and the scale of the tensor

Breaks: Each part is packed bit by bit, and rounded up to whole bytes once, at its end
"""


def block_scaled_bytes(shape, element_bits, block_size, scale_bits, tensor_scale_bits=0):
    if any(size < 0 for size in shape) or tensor_scale_bits < 0:
        raise ValueError("negative")
    *rows, row = shape or (1,)
    blocks = math.prod(rows) * _divide_up(row, block_size)
    bits = math.prod(rows) * row * element_bits + blocks * scale_bits + tensor_scale_bits
    return _divide_up(bits, 8)
