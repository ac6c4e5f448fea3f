"""block_scaled: a tensor without elements takes no bytes, not even for its own scale

Breaks: which a tensor without elements has too
"""

_right_bytes = block_scaled_bytes


def block_scaled_bytes(shape, element_bits, block_size, scale_bits, tensor_scale_bits=0):
    found = _right_bytes(shape, element_bits, block_size, scale_bits, tensor_scale_bits)
    return 0 if 0 in shape else found
