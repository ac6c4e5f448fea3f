"""storage_index: takes 20 GB as a tensor"""

import torch


def storage_index(index, strides, offset=0):
    return torch.ones(20 * 2**30 // 4)
