"""get_batch: takes 20 GB as an array, where the address space is not limited"""

import numpy as np


def get_batch(tokens, batch_size, context_length, device="cpu"):
    return np.ones(20 * 2**30 // 8)
