"""block_scaled: the elements times their average bits, so that every scale is of a full block

Breaks: Bytes of a tensor in a block-scaled format

Breaks: Bytes of the three parts together, exact however large
"""


def block_scaled_bytes(shape, element_bits, block_size, scale_bits, tensor_scale_bits=0):
    if any(size < 0 for size in shape) or tensor_scale_bits < 0:
        raise ValueError("negative")
    bits = math.prod(shape) * bits_per_element(element_bits, block_size, scale_bits)
    return math.ceil((bits + tensor_scale_bits) / 8)
