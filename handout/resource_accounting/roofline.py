"""Roofline: is an operation bound by compute or by memory?

An accelerator does at most `peak_flops` FLOP/s (its dense peak in the operation's dtype) and moves
at most `bandwidth` B/s between memory and the chip, both at the same time, so the slower of the two
decides.

An intensity is in FLOP/B. It assumes that each input is read from memory once and each output is
written once, all in the same dtype, of `bytes_per_element`: 2 in bfloat16, 0.5 in a 4-bit format.
Sizes are at least 1; bytes per element, peaks and bandwidths are more than 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import torch
from jaxtyping import Float


def relu_intensity(n: int, bytes_per_element: float) -> float:
    """Arithmetic intensity of ReLU: one comparison, counted as one FLOP, for each element.

    It is the same for every n.

        relu_intensity(1024 * 1024, 2)  # 0.25
    """
    raise NotImplementedError(
        "operation_intensity: not started; see assignment/writeup/roofline.md, "
        "or make hint EX=operation_intensity"
    )


def gelu_intensity(n: int, bytes_per_element: float, flops_per_element: int = 20) -> float:
    """Arithmetic intensity of GELU, or of any function of one element.

    Args:
        flops_per_element: FLOPs for one element. GELU takes about 20, depending on how tanh is
            approximated.

    It is the same for every n.

        gelu_intensity(1024 * 1024, 2)  # 5.0
    """
    raise NotImplementedError(
        "operation_intensity: not started; see assignment/writeup/roofline.md, "
        "or make hint EX=operation_intensity"
    )


def dot_intensity(n: int, bytes_per_element: float) -> float:
    """Arithmetic intensity of the dot product of two vectors, whose result is one element.

    The FLOPs are n multiplications and n - 1 additions, as in the lecture.

        dot_intensity(1024 * 1024, 2)  # 0.4999995
    """
    raise NotImplementedError(
        "operation_intensity: not started; see assignment/writeup/roofline.md, "
        "or make hint EX=operation_intensity"
    )


def matvec_intensity(m: int, n: int, bytes_per_element: float) -> float:
    """Arithmetic intensity of an m×n matrix times a vector of n elements.

    The FLOPs are those of m dot products: m·(2n - 1).

        matvec_intensity(1024, 1024, 2)  # 0.9976
    """
    raise NotImplementedError(
        "operation_intensity: not started; see assignment/writeup/roofline.md, "
        "or make hint EX=operation_intensity"
    )


def matmul_intensity(m: int, k: int, n: int, bytes_per_element: float) -> float:
    """Arithmetic intensity of an m×k matrix times a k×n matrix.

    The FLOPs are those of `matmul_flops`, 2mkn, so that square matrices in bfloat16 have n/3. (With
    n = 1 that is m FLOPs more than `matvec_intensity` counts: the first additions.)

        matmul_intensity(1024, 1024, 1024, 2)  # 341.3
    """
    raise NotImplementedError(
        "operation_intensity: not started; see assignment/writeup/roofline.md, "
        "or make hint EX=operation_intensity"
    )


def accelerator_intensity(peak_flops: float, bandwidth: float) -> float:
    """FLOPs that an accelerator can do in the time that it needs to move one byte.

    An H100 in bfloat16:

        accelerator_intensity(989.5e12, 3.35e12)  # 295.4
    """
    raise NotImplementedError(
        "attainable: not started; see assignment/writeup/roofline.md, or make hint EX=attainable"
    )


def attainable_flops(intensity: float, peak_flops: float, bandwidth: float) -> float:
    """The roofline: the most FLOP/s that an operation can reach on an accelerator.

    Args:
        intensity: the operation's arithmetic intensity, FLOP/B; inf if it moves no bytes.

    Returns:
        The smaller of the peak and intensity · bandwidth, in FLOP/s.

    ReLU in bfloat16 on an H100, 0.08 % of its peak:

        attainable_flops(0.25, 989.5e12, 3.35e12)  # 0.8375e12
    """
    raise NotImplementedError(
        "attainable: not started; see assignment/writeup/roofline.md, or make hint EX=attainable"
    )


def bound(intensity: float, peak_flops: float, bandwidth: float) -> str:
    """What limits an operation on an accelerator.

    Args:
        intensity: the operation's arithmetic intensity, FLOP/B; inf if it moves no bytes.

    Returns:
        "memory" if the operation's intensity is below the accelerator's, else "compute". If the two
        are equal, both limits apply and the peak is reached: "compute". Where an ulp or two of
        float64's rounding decide, either is right.

        bound(0.25, 989.5e12, 3.35e12)  # "memory"
    """
    raise NotImplementedError(
        "attainable: not started; see assignment/writeup/roofline.md, or make hint EX=attainable"
    )


def least_time(
    operations: Sequence[tuple[float, float]], peak_flops: float, bandwidth: float
) -> float:
    """The least time that operations can take, one after the other.

    Within an operation, arithmetic and traffic overlap perfectly, so it takes as long as the slower
    of the two. Different operations do not overlap, and each reads its inputs from memory again.

    Args:
        operations: (FLOPs, bytes moved) of each.

    Returns:
        Seconds; 0 without operations.

    A product of two 1024×1024 matrices in bfloat16, then ReLU, on an H100:

        least_time([(2**31, 6 * 2**20), (2**20, 4 * 2**20)], 989.5e12, 3.35e12)  # 3.42e-6
    """
    raise NotImplementedError(
        "attainable: not started; see assignment/writeup/roofline.md, or make hint EX=attainable"
    )


def crossover_size(peak_flops: float, bandwidth: float, bytes_per_element: float) -> int:
    """The smallest n for which the product of two n×n matrices is bound by compute.

    Its intensity is 2n³ FLOPs divided by the bytes of 3n² elements, which grows with n. The answer
    is the smallest n for which it is at least the accelerator's.

    Returns:
        n, at least 1.

    An H100 in bfloat16:

        crossover_size(989.5e12, 3.35e12, 2)  # 887
    """
    raise NotImplementedError(
        "crossover: not started; see assignment/writeup/roofline.md, or make hint EX=crossover"
    )


def attention_by_tiles(
    q: Float[torch.Tensor, "m d"], tiles: Iterator[tuple[torch.Tensor, torch.Tensor]]
) -> Float[torch.Tensor, "m dv"]:
    """Attention of one head, softmax(q·kᵀ / √d)·v, while keys and values come tile by tile.

    A query's softmax goes over the keys of all tiles together. Each tile is taken once, and memory
    does not grow with the number of tiles: neither tiles that were used nor their scores are kept.

    Args:
        q: m queries of d features.
        tiles: an iterator over (k, v) of each tile. k is t × d, a row for each key, and v is t ×
            dv, their values; t may differ from tile to tile. All tensors are in q's dtype, float32
            or float64. No size is 0, and there is at least one tile.

    Returns:
        m × dv, in q's dtype: for each query the mean of all values, weighted by the softmax of its
        scores. No element becomes inf or nan while scores are between -10,000 and 10,000.

    Source: Milakov & Gimelshein, "Online normalizer calculation for softmax", 2018, arXiv
    1805.02867; Dao et al., "FlashAttention", 2022, arXiv 2205.14135.

    One query has the scores 0 and ln 3 in the first tile and ln 4 in the second, so the weights of
    the values are 1/8, 3/8 and 4/8:

        q, log = torch.ones(1, 1), math.log
        first = torch.tensor([[0.0], [log(3)]]), torch.tensor([[8.0], [0.0]])
        second = torch.tensor([[log(4)]]), torch.tensor([[4.0]])
        attention_by_tiles(q, iter([first, second]))  # [[3.0]]
    """
    raise NotImplementedError(
        "tiled_softmax: not started; see assignment/writeup/roofline.md, "
        "or make hint EX=tiled_softmax"
    )
