"""seed_everything: random gets the seed modulo 2**53

Breaks: After different seeds, each gives different numbers
"""

import random

import numpy as np
import torch


def seed_everything(seed):
    if not 0 <= seed < 2**63:
        raise ValueError("seed out of range")
    random.seed(seed % 2**53)
    np.random.seed([seed & 0xFFFFFFFF, seed >> 32])
    torch.manual_seed(seed)
