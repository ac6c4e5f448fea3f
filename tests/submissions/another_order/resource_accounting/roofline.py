"""Rooflines, by other formulas."""

import re
from collections import defaultdict

import numpy as np
import torch


def _refuse_unless(condition):
    if not condition:
        raise ValueError("cannot be")


def _elementwise(n, width, flops):
    _refuse_unless(n > 0 and width > 0 and flops >= 0)
    return 0.5 * flops / width


def relu_intensity(n, bytes_per_element):
    return _elementwise(n, bytes_per_element, 1.0)


def gelu_intensity(n, bytes_per_element, flops_per_element=20):
    return _elementwise(n, bytes_per_element, flops_per_element)


def dot_intensity(n, bytes_per_element):
    _refuse_unless(n > 0 and bytes_per_element > 0)
    return (1 - 2 / (2 * n + 1)) / bytes_per_element


def matvec_intensity(m, n, bytes_per_element):
    _refuse_unless(m > 0 and n > 0 and bytes_per_element > 0)
    return (2 - 1 / n) / (bytes_per_element * (1 + 1 / m + 1 / n))


def matmul_intensity(m, k, n, bytes_per_element):
    _refuse_unless(min(m, k, n) > 0 and bytes_per_element > 0)
    return 2 / (bytes_per_element * (1 / n + 1 / m + 1 / k))


def accelerator_intensity(peak_flops, bandwidth):
    _refuse_unless(peak_flops > 0 and bandwidth > 0)
    return 1 / (bandwidth / peak_flops)


def attainable_flops(intensity, peak_flops, bandwidth):
    _refuse_unless(intensity >= 0 and peak_flops > 0 and bandwidth > 0)
    return min(peak_flops, bandwidth * intensity)


def bound(intensity, peak_flops, bandwidth):
    return "compute" if attainable_flops(intensity, peak_flops, bandwidth) >= peak_flops else "memory"


def least_time(operations, peak_flops, bandwidth):
    _refuse_unless(peak_flops > 0 and bandwidth > 0)
    sides = np.array(operations, dtype=np.float64).reshape(-1, 2)
    _refuse_unless((sides >= 0).all())
    return float((sides / [peak_flops, bandwidth]).max(axis=1).sum())


def crossover_size(peak_flops, bandwidth, bytes_per_element):
    _refuse_unless(peak_flops > 0 and bandwidth > 0 and bytes_per_element > 0)
    peak, bandwidth, width = (_whole(x) for x in (peak_flops, bandwidth, bytes_per_element))
    above, below = 3 * width[0] * peak[0] * bandwidth[1], 2 * bandwidth[0] * width[1] * peak[1]
    return -(-above // below)


def _whole(number):
    return number.as_integer_ratio()


def attention_by_tiles(q, tiles):
    """Joins finished attentions by the logarithms of their sums."""
    logs, mean = None, None
    for k, v in tiles:
        scores = torch.einsum("md,td->mt", q, k).double() / q.size(-1) ** 0.5
        of_tile = scores.softmax(-1) @ v.double()
        if mean is None:
            mean, logs = of_tile, scores.logsumexp(-1)
            continue
        share = torch.sigmoid(scores.logsumexp(-1) - logs)[:, None]
        logs = torch.logaddexp(logs, scores.logsumexp(-1))
        mean = torch.lerp(mean, of_tile, share)
    return mean.to(q.dtype)
