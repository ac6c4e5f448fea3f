"""seed_everything: numpy gets one word, a mix of both halves

Breaks: pass it a list of words that holds the whole seed
"""

import random

import numpy as np
import torch


def seed_everything(seed):
    if not 0 <= seed < 2**63:
        raise ValueError("seed out of range")
    random.seed(seed)
    np.random.seed((seed ^ (seed >> 32) * 2654435761) & 0xFFFFFFFF)
    torch.manual_seed(seed)
