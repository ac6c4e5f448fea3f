"""multiplies with few bits"""

import torch


def matmul_chain(x, weights):
    for weight in weights:
        x = (x.to(torch.float8_e4m3fn).to(x.dtype)) @ weight
        x = x.maximum(0.8 * x)
        x = x / x.square().mean(-1, keepdim=True).sqrt()
    return x
