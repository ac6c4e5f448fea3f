"""storage_index: returns more than a frame may hold"""

import torch


def storage_index(index, strides, offset=0):
    return torch.zeros(300 * 2**20, dtype=torch.uint8)
