"""block_scaled (core): blocks run on over the ends of rows, as if the tensor were flat

Breaks: Blocks run along the last dimension and never continue into the next row
"""


def block_scaled_bytes(shape, element_bits, block_size, scale_bits, tensor_scale_bits=0):
    if any(size < 0 for size in shape) or tensor_scale_bits < 0:
        raise ValueError("negative")
    elements = math.prod(shape)
    blocks = _divide_up(elements, block_size)
    parts = elements * element_bits, blocks * scale_bits, tensor_scale_bits
    return sum(_divide_up(bits, 8) for bits in parts)
