"""block_scaled: blocks per row by np.ceil of a float quotient

Breaks: Bytes of the three parts together, exact however large
"""

import math

import numpy as np


def block_scaled_bytes(shape, element_bits, block_size, scale_bits, tensor_scale_bits=0):
    if any(n < 0 for n in shape):
        raise ValueError("negative size")
    if element_bits < 1 or block_size < 1 or scale_bits < 0 or tensor_scale_bits < 0:
        raise ValueError("bad number of bits")
    row = shape[-1] if len(shape) else 1
    rows = math.prod(shape[:-1])
    blocks = rows * int(np.ceil(row / block_size))
    return sum(
        -(-bits // 8)
        for bits in (rows * row * element_bits, blocks * scale_bits, tensor_scale_bits)
    )
