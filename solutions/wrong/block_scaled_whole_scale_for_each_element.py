"""block_scaled: the average adds the whole scale to each element"""


def bits_per_element(element_bits, block_size, scale_bits):
    _check_block_format(element_bits, block_size, scale_bits)
    return float(element_bits + scale_bits)
