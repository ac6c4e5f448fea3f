"""Initialization, an element at a time, with numpy's and Python's generators."""

import math
import random
from statistics import NormalDist

import torch


def _filled(shape, draw):
    count = math.prod(shape)
    return torch.tensor([draw() for _ in range(count)], dtype=torch.float32).reshape(tuple(shape))


def xavier_uniform(d_in, d_out, seed):
    if min(d_in, d_out) < 1:
        raise ValueError("sizes must be positive")
    bound = (6 / (d_in + d_out)) ** 0.5
    rng = random.Random(seed)
    return _filled((d_in, d_out), lambda: rng.uniform(-bound, bound))


def kaiming_normal(d_in, d_out, seed):
    if min(d_in, d_out) < 1:
        raise ValueError("sizes must be positive")
    rng = random.Random(seed)
    return _filled((d_in, d_out), lambda: rng.gauss(0.0, (2 / d_in) ** 0.5))


def truncated_normal(shape, std, low, high, seed):
    if any(size < 0 for size in shape) or not std > 0 or not low < high:
        raise ValueError("bad shape, std or bounds")
    rng = random.Random(seed)
    sign = 1.0
    if low > 0:
        low, high, sign = -high, -low, -1.0

    def below(x):
        return 0.5 * math.erfc(-x / (std * math.sqrt(2)))

    first, last = below(low), below(high)
    if first == last:
        raise ValueError("nothing between the bounds")
    inverse = NormalDist().inv_cdf

    def draw():
        p = 0.0
        while not 0 < p < 1:
            p = first + (last - first) * rng.random()
        return sign * min(max(std * inverse(p), low), high)

    return _filled(shape, draw)
