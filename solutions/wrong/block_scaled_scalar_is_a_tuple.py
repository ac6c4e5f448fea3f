"""block_scaled: only an empty tuple is a scalar, and an empty list has no last dimension

Breaks: () is a scalar, one row of one element
"""

_right_block_scaled_bytes = block_scaled_bytes


def block_scaled_bytes(shape, element_bits, block_size, scale_bits, tensor_scale_bits=0):
    if shape == ():
        shape = (1,)
    shape = (*shape[:-1], shape[-1])  # there is a last dimension
    return _right_block_scaled_bytes(shape, element_bits, block_size, scale_bits, tensor_scale_bits)
