"""seed_everything: masks the low word to 31 bits, so bit 31 is lost for numpy

Breaks: pass it a list of words that holds the whole seed
"""

import random

import numpy as np
import torch


def seed_everything(seed):
    if not 0 <= seed < 2**63:
        raise ValueError("seed out of range")
    random.seed(seed)
    np.random.seed([seed & 0x7FFFFFFF, seed >> 32])
    torch.manual_seed(seed)
