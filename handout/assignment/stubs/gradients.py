"""Gradients: the backward pass by hand."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Float


def linear_backward(
    x: Float[torch.Tensor, "*batch d_in"],
    w: Float[torch.Tensor, "d_in d_out"],
    grad_y: Float[torch.Tensor, "*batch d_out"],
) -> tuple[
    Float[torch.Tensor, "*batch d_in"],
    Float[torch.Tensor, "d_in d_out"],
    Float[torch.Tensor, " d_out"],
]:
    """Gradients of x, w and b where y = x @ w + b."""
    raise NotImplementedError(
        "linear_backward: not started; see assignment/writeup/gradients.md, "
        "or make hint EX=linear_backward"
    )


def mlp_backward(
    x: Float[torch.Tensor, "batch d_in"],
    weights: Sequence[Float[torch.Tensor, "_ _"]],
    target: Float[torch.Tensor, "batch d_out"],
) -> tuple[float, list[Float[torch.Tensor, "_ _"]]]:
    """Loss and gradients of an MLP with ReLU."""
    raise NotImplementedError(
        "mlp_backward: not started; see assignment/writeup/gradients.md, "
        "or make hint EX=mlp_backward"
    )
