"""storage_index: returns lists and dicts that hold themselves"""

import random


def storage_index(index, strides, offset=0):
    around, inside = [], {}
    around.append(around)
    inside["a"] = [inside, (around, inside)]
    return random.choice([around, inside, (around, around), [[0] * 1000] * 10_000])
