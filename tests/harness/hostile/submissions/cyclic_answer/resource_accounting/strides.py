"""storage_index: returns lists and dicts that hold themselves"""

import random

DRAW = random.Random()  # drawing from the global generator is a failure of its own


def storage_index(index, strides, offset=0):
    around, inside = [], {}
    around.append(around)
    inside["a"] = [inside, (around, inside)]
    return DRAW.choice([around, inside, (around, around), [[0] * 1000] * 10_000])
