"""block_scaled: a tensor scale of a negative number of bits counts as none

Breaks: or a scale has a negative number of bits
"""

_right_bytes = block_scaled_bytes


def block_scaled_bytes(shape, element_bits, block_size, scale_bits, tensor_scale_bits=0):
    bits = max(tensor_scale_bits, 0)
    return _right_bytes(shape, element_bits, block_size, scale_bits, bits)
