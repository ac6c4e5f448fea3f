"""block_scaled: a format without a scale is refused

Breaks: bits of one scale; 0 if there is none
"""

_right_bits = bits_per_element


def bits_per_element(element_bits, block_size, scale_bits):
    if not scale_bits:
        raise ValueError("no scale")
    return _right_bits(element_bits, block_size, scale_bits)
