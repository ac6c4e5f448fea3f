"""block_scaled: the average is given in bytes

Breaks: Average bits per element of a block-scaled format
"""

_right_average = bits_per_element


def bits_per_element(element_bits, block_size, scale_bits):
    return _right_average(element_bits, block_size, scale_bits) / 8
