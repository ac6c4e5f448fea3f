"""Initialization: random weights with a scale that survives depth.

A weight has d_in rows and d_out columns, each at least 1, and is used as `x @ w`, so each output is
a sum of d_in products.

Every function draws from its own generator, made from `seed`: the global generators of torch,
numpy and random are neither read nor advanced. A seed is at least 0 and less than 2**63. The same
seed gives the same numbers, and a seed with other low 32 bits gives others (torch's generator on
the CPU uses no more of it).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from jaxtyping import Float32


def xavier_uniform(d_in: int, d_out: int, seed: int) -> Float32[torch.Tensor, "d_in d_out"]:
    """A weight by Xavier (Glorot) initialization, uniform.

    The forward pass keeps the scale if the weights' variance is 1 / d_in, the backward pass if it
    is 1 / d_out. Xavier uses a value in between, 2 / (d_in + d_out). A uniform distribution on
    [-a, a] has variance a² / 3, so a = √(6 / (d_in + d_out)).

    Returns:
        A float32 weight, each element drawn independently from [-a, a], rounded to float32.

    Source: Glorot & Bengio 2010, equation 16.
    """
    raise NotImplementedError(
        "xavier: not started; see assignment/writeup/initialization.md, or make hint EX=xavier"
    )


def kaiming_normal(d_in: int, d_out: int, seed: int) -> Float32[torch.Tensor, "d_in d_out"]:
    """A weight by Kaiming (He) initialization, normal, for a layer whose inputs come from a ReLU.

    A ReLU sets half of its inputs to 0, which halves the mean square, so the variance must be
    2 / d_in. Elements are normal with mean 0 and standard deviation √(2 / d_in).

    Returns:
        A float32 weight, each element drawn independently.

    Source: He et al. 2015, equation 10.
    """
    raise NotImplementedError(
        "xavier: not started; see assignment/writeup/initialization.md, or make hint EX=xavier"
    )


def truncated_normal(
    shape: Sequence[int], std: float, low: float, high: float, seed: int
) -> Float32[torch.Tensor, "..."]:
    """A tensor of normal numbers with mean 0 and this `std`, conditioned to lie in [low, high].

    Conditioned means: between the bounds the relative likelihoods do not change, and values outside
    do not occur. (Clamping would put their probability onto the bounds.) The standard deviation of
    the result is therefore smaller than `std`, and its mean is 0 only if the bounds are symmetric.
    The run time does not depend on how unlikely the bounds are. (Compute in float64: from 4.9 to 5
    std, the distribution function takes only 4 values in float32.)

    Args:
        shape: size of each dimension; () is a scalar.
        std: standard deviation before truncation, more than 0.
        low: the lower bound, a value (not a multiple of std); within 5 std of 0, or -inf.
        high: the upper bound, more than `low`; within 5 std of 0, or inf.

    Returns:
        A float32 tensor, each element drawn independently; all are within the bounds, where
        these are rounded to float32, too.
    """
    raise NotImplementedError(
        "truncated_normal: not started; see assignment/writeup/initialization.md, "
        "or make hint EX=truncated_normal"
    )
