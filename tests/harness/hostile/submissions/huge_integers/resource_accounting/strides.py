"""storage_index: returns integers of megabytes, as answers and as keys"""

import random


def storage_index(index, strides, offset=0):
    huge = 1 << random.choice([2**13, 2**20, 2**25])
    return random.choice([huge, -huge, [huge], {huge: 6}, {"a": {-huge: 6}}])
