"""block_scaled: a negative tensor scale of a tensor without elements counts as 0

Breaks: or a scale has a negative number of bits.
"""

_right_block_scaled_bytes = block_scaled_bytes


def block_scaled_bytes(shape, element_bits, block_size, scale_bits, tensor_scale_bits=0):
    if 0 in shape:
        tensor_scale_bits = max(tensor_scale_bits, 0)
    return _right_block_scaled_bytes(shape, element_bits, block_size, scale_bits, tensor_scale_bits)
