"""block_scaled: the average adds the whole scale to each element

Breaks: Average bits per element of a block-scaled format, including its share of a scale

Breaks: In a block-scaled format the elements of each block of `block_size` share one scale
"""


def bits_per_element(element_bits, block_size, scale_bits):
    return float(element_bits + scale_bits)
