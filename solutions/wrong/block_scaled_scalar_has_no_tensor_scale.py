"""block_scaled: a scalar gets no scale of the tensor

Breaks: Bytes of the three parts together
"""

_right_block_scaled_bytes = block_scaled_bytes


def block_scaled_bytes(shape, element_bits, block_size, scale_bits, tensor_scale_bits=0):
    if tensor_scale_bits < 0:
        raise ValueError("a negative scale")
    if len(shape) == 0:
        tensor_scale_bits = 0
    return _right_block_scaled_bytes(shape, element_bits, block_size, scale_bits, tensor_scale_bits)
