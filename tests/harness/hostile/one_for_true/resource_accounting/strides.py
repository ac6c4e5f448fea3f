"""is_contiguous: answers rightly, with 1 for True, 0.0 for False, and tensors for both"""

import random

import torch


def is_contiguous(shape, strides):
    if len(shape) != len(strides) or min(shape, default=0) < 0:
        raise ValueError("no layout")
    right = torch.empty_strided(shape, strides, device="meta").is_contiguous()
    return random.choice([int, float, str, torch.tensor, lambda b: [b], lambda b: b or None])(right)
