"""storage_index: answers rightly, as a number of numpy, a fraction, a decimal or an enum"""

import enum
import random
from decimal import Decimal
from fractions import Fraction

import numpy as np

DRAW = random.Random()  # drawing from the global generator is a failure of its own

KINDS = [
    lambda n: np.int64(n % 2**63),
    np.float64,
    Fraction,
    Decimal,
    complex,
    lambda n: enum.IntEnum("E", {"a": n}).a,
]


def storage_index(index, strides, offset=0):
    return DRAW.choice(KINDS)(sum(i * s for i, s in zip(index, strides)) + offset)
