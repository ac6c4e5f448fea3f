"""xavier: caches the weight by its arguments and hands out the same tensor again"""

import functools
import math

import torch


@functools.lru_cache(maxsize=32)
def _draw(d_in: int, d_out: int, seed: int) -> torch.Tensor:
    bound = math.sqrt(6.0 / (d_in + d_out))
    generator = torch.Generator().manual_seed(seed)
    uniform = torch.rand(d_in, d_out, generator=generator, dtype=torch.float64, device="cpu")
    return ((2.0 * uniform - 1.0) * bound).to(torch.float32).clamp_(-bound, bound)


def xavier_uniform(d_in: int, d_out: int, seed: int) -> torch.Tensor:
    if d_in < 1 or d_out < 1:
        raise ValueError(f"sizes must be at least 1, got {(d_in, d_out)}")
    return _draw(d_in, d_out, seed)
