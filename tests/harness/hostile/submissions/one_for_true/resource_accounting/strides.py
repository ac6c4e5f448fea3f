"""is_contiguous: answers rightly, with 1 for True and 0.0 for False"""

import random

import torch

kind = random.choice([int, float])


def is_contiguous(shape, strides):
    if len(shape) != len(strides) or min(shape, default=0) < 0:
        raise ValueError("no layout")
    return kind(torch.empty_strided(shape, strides, device="meta").is_contiguous())
