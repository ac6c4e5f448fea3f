"""Recompute: activation checkpointing, which trades time for memory.

The backward pass needs what the forward pass computed. Activation checkpointing holds only a few
activations, and runs parts of the network again to get at the others. (A checkpoint, a model saved
to disk, is something else.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import torch
from torch.utils.checkpoint import checkpoint


def segment_bounds(layers: int, segments: int) -> list[tuple[int, int]]:
    """Cuts a network into segments that are as even as can be.

    Args:
        layers: how many there are.
        segments: how many to make of them, at least 1 and at most `layers`.

    Returns:
        (start, stop) of each segment, from the first layer to the last; a segment's layers are
        `range(start, stop)`. Sizes differ by at most one; the longer segments come first.

    Raises:
        ValueError: fewer than one segment, or more segments than layers.

    Ten layers in four segments, of 3, 3, 2 and 2:

        segment_bounds(10, 4)  # [(0, 3), (3, 6), (6, 8), (8, 10)]
    """
    raise NotImplementedError(
        "segments: not started; see assignment/writeup/recompute.md, or make hint EX=segments"
    )


def best_segments(layers: int) -> int:
    """The number of segments that holds the fewest activations: about √layers.

    S segments hold S activations, their inputs, and while one of them runs again, those of its
    layers: the number to minimize is S plus the layers of the longest segment. More segments hold
    more inputs, fewer are longer.

    Args:
        layers: how many, at least 1.

    Returns:
        The number of segments that minimizes segments + layers of the longest; the smallest of
        them if there are several.

    Raises:
        ValueError: less than one layer.

    Sixteen layers: 4 + 4 = 8, where 3 segments take 3 + 6 and 5 take 5 + 4. Ten layers: 2 + 5 = 7,
    and 3 + 4 is no better.

        best_segments(16)  # 4
        best_segments(10)  # 2
    """
    raise NotImplementedError(
        "segments: not started; see assignment/writeup/recompute.md, or make hint EX=segments"
    )


def checkpointed_forward(
    layers: Sequence[Callable[[torch.Tensor], torch.Tensor]], x: torch.Tensor, segments: int
) -> torch.Tensor:
    """Runs layers one after the other, under activation checkpointing by segments.

    Output and gradients are those of `for layer in layers: x = layer(x)`, with two differences.
    After the forward pass only each segment's input and the output are held. And the backward pass,
    segment by segment from the last to the first, runs the segment's layers once more. (The last
    segment, whose backward comes first, may also be held as it is and not run again.)

    Args:
        layers: functions of one tensor, with or without parameters, random or not. A layer that
            draws random numbers, such as dropout, draws the same ones when it runs again, and what
            is drawn after the backward pass is what would be drawn without checkpointing.
        x: the first layer's input. It need not require a gradient: the layers' parameters get
            theirs all the same.
        segments: how many; their bounds are those of `segment_bounds`.

    Returns:
        The last layer's output. Under `torch.no_grad()` nothing is held for a backward pass.

    Raises:
        ValueError: fewer than one segment, or more segments than layers.

    Four segments of a network of sixteen blocks:

        y = checkpointed_forward(list(blocks), x, 4)
    """
    raise NotImplementedError(
        "checkpointed_forward: not started; see assignment/writeup/recompute.md, "
        "or make hint EX=checkpointed_forward"
    )
