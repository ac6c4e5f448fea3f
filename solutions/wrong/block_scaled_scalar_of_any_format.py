"""block_scaled: a scalar is sized before the format is checked

Breaks: `element_bits` or `block_size` is
"""

_right_block_scaled_bytes = block_scaled_bytes


def block_scaled_bytes(shape, element_bits, block_size, scale_bits, tensor_scale_bits=0):
    if len(shape) == 0:
        return sum(-(-bits // 8) for bits in (element_bits, scale_bits, tensor_scale_bits))
    return _right_block_scaled_bytes(shape, element_bits, block_size, scale_bits, tensor_scale_bits)
