"""storage_index: returns 60 MB of text, 300 000 items, an integer of 500 bytes"""

import random

DRAW = random.Random()  # drawing from the global generator is a failure of its own

answers = ["x" * 60_000_000, [[1] * 300 for _ in range(1000)], -(2**3990), "\x1b[2J" * 10**6]


def storage_index(index, strides, offset=0):
    return DRAW.choice(answers)
