"""block_scaled: 0 bits for the tensor scale mean the usual 32

Breaks: has too; 0 if there is none
"""

_right_bytes = block_scaled_bytes


def block_scaled_bytes(shape, element_bits, block_size, scale_bits, tensor_scale_bits=0):
    bits = tensor_scale_bits or 32
    return _right_bytes(shape, element_bits, block_size, scale_bits, bits)
