"""block_scaled: a size of 0 ends the count before the other sizes are checked

Breaks: a size is negative, even if another is 0
"""

_right_bytes = block_scaled_bytes


def block_scaled_bytes(shape, element_bits, block_size, scale_bits, tensor_scale_bits=0):
    if math.prod(shape) == 0:
        shape = (0,)
    return _right_bytes(shape, element_bits, block_size, scale_bits, tensor_scale_bits)
