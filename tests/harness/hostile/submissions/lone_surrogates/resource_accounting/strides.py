"""storage_index: returns text that no encoding can write"""

import random


def storage_index(index, strides, offset=0):
    answers = ["\ud800", ["a\udfff"], {"\udc80": 6}, {"a": {"\ud800" * 10**5: 6}}]
    return random.choice(answers)
