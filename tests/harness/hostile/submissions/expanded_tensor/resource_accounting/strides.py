"""storage_index: returns a tensor and an array of exabytes whose elements are all the same one"""

import random

import numpy as np
import torch

DRAW = random.Random()  # drawing from the global generator is a failure of its own


def storage_index(index, strides, offset=0):
    return DRAW.choice(
        [
            torch.zeros(1, dtype=torch.int8).expand(2**60),
            torch.zeros(1).expand(2**30, 2**28),
            np.broadcast_to(np.zeros(1, np.int8), 2**60),
            np.broadcast_to(np.zeros(1), (2**30, 2**28)),
        ]
    )
