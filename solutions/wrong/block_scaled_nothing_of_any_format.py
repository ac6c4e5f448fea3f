"""block_scaled: a tensor without elements is sized before the format is checked

Breaks: `element_bits` or `block_size` is
"""

_right_block_scaled_bytes = block_scaled_bytes


def block_scaled_bytes(shape, element_bits, block_size, scale_bits, tensor_scale_bits=0):
    if any(size < 0 for size in shape):
        raise ValueError(f"a negative size in {shape}")
    if 0 in shape:
        return -(-tensor_scale_bits // 8)
    return _right_block_scaled_bytes(shape, element_bits, block_size, scale_bits, tensor_scale_bits)
