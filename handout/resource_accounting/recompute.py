"""Recompute: activation checkpointing, which trades time for memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import torch
from torch.utils.checkpoint import checkpoint


def segment_bounds(layers: int, segments: int) -> list[tuple[int, int]]:
    """Splits a network into segments that are as even as possible.

    Args:
        layers: number of layers.
        segments: number of segments, at least 1 and at most `layers`.

    Returns:
        (start, stop) of each segment, from the first layer to the last; a segment's layers are
        `range(start, stop)`. Sizes differ by at most one; the longer segments come first.

    Ten layers in four segments, of 3, 3, 2 and 2:

        segment_bounds(10, 4)  # [(0, 3), (3, 6), (6, 8), (8, 10)]
    """
    raise NotImplementedError(
        "segments: not started; see assignment/writeup/recompute.md, or make hint EX=segments"
    )


def best_segments(layers: int) -> int:
    """The number of segments to choose: about √layers.

    Args:
        layers: number of layers, at least 1.

    Returns:
        The number of segments that minimizes segments + layers of the longest segment; the smallest
        such number if there are several.

    Sixteen layers take 4 + 4 = 8, less than 3 + 6 and 5 + 4:

        best_segments(16)  # 4
    """
    raise NotImplementedError(
        "segments: not started; see assignment/writeup/recompute.md, or make hint EX=segments"
    )


def checkpointed_forward(
    layers: Sequence[Callable[[torch.Tensor], torch.Tensor]], x: torch.Tensor, segments: int
) -> torch.Tensor:
    """Runs layers one after the other, with activation checkpointing by segments.

    Output, and gradients of one backward pass, equal those of `for layer in layers: x = layer(x)`.
    Two things differ.
    After the forward pass only each segment's input and the output are held. And the backward pass,
    segment by segment from the last to the first, runs the segment's layers again. (The last
    segment, which the backward pass reaches first, may also be held instead of run again.)

    Args:
        layers: functions of one tensor, with or without parameters, random or not. A layer that
            draws from torch's generators, such as dropout, draws the same numbers when it runs
            again, and after the backward pass the same numbers are drawn as without checkpointing.
            One that ran under autocast runs again under it. The caller may change the list before
            the backward pass.
        x: the first layer's input. It need not require a gradient, and may hold integers, such as
            tokens: the layers' parameters get their gradients anyway.
        segments: number of segments, at least 1 and at most the number of layers; their bounds are
            those of `segment_bounds`.

    Returns:
        The last layer's output. Under `torch.no_grad()` nothing else is held afterwards, and while
        a segment's layers run nothing but its input and the caller's x.
    """
    raise NotImplementedError(
        "checkpointed_forward: not started; see assignment/writeup/recompute.md, "
        "or make hint EX=checkpointed_forward"
    )


def chunked_cross_entropy(
    x: torch.Tensor, weight: torch.Tensor, targets: torch.Tensor, chunk_size: int
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Cross-entropy of a language model's head, and its gradients, one chunk of rows at a time.

    The logits are x @ weight.T. A row's loss is logsumexp(logits) − logits[target], and the loss is
    the mean over all rows. So its gradient with respect to a row's logits is (softmax(logits) −
    onehot(target)) / tokens, which depends on no other row.

    A chunk is `chunk_size` consecutive rows. At any time the call holds a few tensors of the sizes
    of x, of weight and of one chunk's logits, and nothing larger.

    Everything is computed in the dtype of x, but in float32 where that has 16 bits: the logits and
    the sums over chunks, too.

    Args:
        x: hidden states, tokens × width, at least one row. They require no gradient.
        weight: vocab × width, with the dtype of x. It requires no gradient.
        targets: the index of each row's right word, from 0 to vocab − 1; int64.
        chunk_size: rows of a chunk, at least 1. The last chunk has those that are left, perhaps
            fewer.

    Returns:
        (loss, grad_x, grad_weight): the loss as a tensor without axes, in the dtype of the
        computation, and gradients with the shapes and dtypes of x and weight. All three are right
        for logits in the thousands, too, whose exponentials overflow.

    Source: Hsu et al., "Liger Kernel: Efficient Triton Kernels for LLM Training", 2024. With equal
    logits of two words, the loss is log 2:

        x, weight = torch.tensor([[3.0]]), torch.zeros(2, 1)
        chunked_cross_entropy(x, weight, torch.tensor([1]), 1)  # 0.6931, [[0]], [[1.5], [-1.5]]
    """
    raise NotImplementedError(
        "chunked_cross_entropy: not started; see assignment/writeup/recompute.md, "
        "or make hint EX=chunked_cross_entropy"
    )
