"""storage_index: answers rightly, as a float, text, list, dict, bytes, tensor or array"""

import random

import numpy as np
import torch

DRAW = random.Random()  # drawing from the global generator is a failure of its own

KINDS = [
    float,
    str,
    lambda n: [n],
    lambda n: (n,),
    lambda n: {"result": n},
    lambda n: n.to_bytes(16, "little"),
    lambda n: torch.tensor(float(n)),
    lambda n: np.array(float(n)),
    lambda n: np.array([float(n)]),
]


def storage_index(index, strides, offset=0):
    return DRAW.choice(KINDS)(sum(i * s for i, s in zip(index, strides)) + offset)
