"""block_scaled: without a scale any block size is taken

Breaks: `element_bits` or `block_size` is below 1, or `scale_bits` is negative.
"""


def bits_per_element(element_bits, block_size, scale_bits):
    if element_bits < 1 or scale_bits < 0:
        raise ValueError("no format")
    if scale_bits == 0:
        return float(element_bits)
    if block_size < 1:
        raise ValueError("no block")
    return element_bits + scale_bits / block_size
