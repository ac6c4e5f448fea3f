"""seed_everything: numpy gets three words of 16 bits

Breaks: pass it a list of words that holds the whole seed
"""

import random

import numpy as np
import torch


def seed_everything(seed):
    if not 0 <= seed < 2**63:
        raise ValueError("seed out of range")
    random.seed(seed)
    np.random.seed([seed & 0xFFFF, seed >> 16 & 0xFFFF, seed >> 32 & 0xFFFF])
    torch.manual_seed(seed)
