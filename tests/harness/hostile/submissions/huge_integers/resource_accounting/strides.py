"""storage_index: returns integers of megabytes, as answers and as keys"""

import random

DRAW = random.Random()  # drawing from the global generator is a failure of its own


def storage_index(index, strides, offset=0):
    huge = 1 << DRAW.choice([2**13, 2**20, 2**25])
    return DRAW.choice([huge, -huge, [huge], {huge: 6}, {"a": {-huge: 6}}])
