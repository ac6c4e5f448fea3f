"""block_scaled: returns infinities, -0.0, NaN of every sort and denormals for averages and bytes"""

import random
import struct

DRAW = random.Random()  # drawing from the global generator is a failure of its own

ODD = [
    float("inf"),
    float("-inf"),
    -0.0,
    5e-324,
    1.7976931348623157e308,
    struct.unpack("<d", b"\x01\x00\x00\x00\x00\x00\xf0\x7f")[0],  # a signalling NaN
    struct.unpack("<d", b"\xff" * 8)[0],
]


def bits_per_element(element_bits, block_size, scale_bits):
    return DRAW.choice(ODD)


def block_scaled_bytes(shape, element_bits, block_size, scale_bits, tensor_scale_bits=0):
    return DRAW.choice(ODD)
