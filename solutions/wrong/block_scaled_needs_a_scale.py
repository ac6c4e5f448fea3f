"""block_scaled: a format without a scale is refused

Breaks: bits of one scale; 0 if there is none
"""

_right_check = _check_block_format


def _check_block_format(element_bits, block_size, scale_bits):
    _right_check(element_bits, block_size, scale_bits)
    if not scale_bits:
        raise ValueError("no scale")
