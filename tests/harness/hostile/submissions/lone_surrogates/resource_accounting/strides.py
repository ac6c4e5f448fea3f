"""storage_index: returns text that no encoding can write"""

import random

DRAW = random.Random()  # drawing from the global generator is a failure of its own


def storage_index(index, strides, offset=0):
    answers = ["\ud800", ["a\udfff"], {"\udc80": 6}, {"a": {"\ud800" * 10**5: 6}}]
    return DRAW.choice(answers)
