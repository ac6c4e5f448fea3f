"""block_scaled: no format is refused

Breaks: bits of one element, at least 1

Breaks: elements that share a scale, at least 1

Breaks: `element_bits` or `block_size` is below 1

Breaks: `scale_bits` is negative

Breaks: or a scale has a negative number of bits
"""


def bits_per_element(element_bits, block_size, scale_bits):
    return element_bits + scale_bits / block_size


def block_scaled_bytes(shape, element_bits, block_size, scale_bits, tensor_scale_bits=0):
    if any(size < 0 for size in shape):
        raise ValueError("negative size")
    *rows, row = shape or (1,)
    elements = math.prod(rows) * row
    blocks = math.prod(rows) * _divide_up(row, block_size)
    parts = elements * element_bits, blocks * scale_bits, tensor_scale_bits
    return sum(_divide_up(bits, 8) for bits in parts)
