"""A layer that costs little time for the memory that it holds: x + w · relu(x rolled by n).

It is not linear and mixes all elements of a row, so no closed form replaces several layers, and no
part of a row goes through them alone.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import torch


class RollLayer(torch.autograd.Function):
    """The layer as a function of x, a scalar weight w and n. Each row, the last axis, is rolled.

    It keeps x for the backward pass. n is saved as a tensor, so that the backward pass uses the n
    of the layer's last run, as it uses the x of that run.

    numpy allocates the results, since torch allocates aligned memory: a block that one layer frees
    is then too small for the next, and the memory of the process says little about what is kept.
    """

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, w: torch.Tensor, n: int) -> torch.Tensor:
        ctx.save_for_backward(x, w, torch.tensor(n))
        return layer_output(x, float(w), n, empty_like(x))

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, None]:
        x, w, n = (saved.detach() for saved in ctx.saved_tensors)
        x_grad, w_grad = layer_gradients(grads[0], x, float(w), int(n), empty_like(x))
        return x_grad, w_grad, None


def layer_output(x: torch.Tensor, w: float, n: int, out: torch.Tensor) -> torch.Tensor:
    """The output of one layer, x + w·relu(x rolled by n), written to `out`."""
    size = x.shape[-1]
    n %= size
    torch.clamp_min(x[..., : size - n], 0, out=out[..., n:])
    torch.clamp_min(x[..., size - n :], 0, out=out[..., :n])
    return torch.add(x, out, alpha=w, out=out)


def layer_gradients(
    grad: torch.Tensor, x: torch.Tensor, w: float, n: int, out: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """The gradients of x, written to `out`, and of w, from that of the layer's output."""
    size = x.shape[-1]
    n %= size
    # Now `out` gets the output's gradient rolled back, with 0 where x ≤ 0.
    through_relu = torch.ops.aten.threshold_backward.grad_input
    through_relu(grad[..., n:], x[..., : size - n], 0, grad_input=out[..., : size - n])
    through_relu(grad[..., :n], x[..., size - n :], 0, grad_input=out[..., size - n :])
    w_grad = torch.dot(out.view(-1), x.reshape(-1))
    return torch.add(grad, out, alpha=w, out=out), w_grad


def empty_like(x: torch.Tensor) -> torch.Tensor:
    """Memory for a tensor of the same shape and dtype, allocated by numpy."""
    _keep_freed_memory()
    return torch.from_numpy(np.empty(tuple(x.shape), x.detach().numpy().dtype))


@functools.cache
def _keep_freed_memory() -> None:
    """Makes glibc reuse freed blocks up to 24 MiB: new pages take as long as a layer's run.

    It does so once a block of that size has been freed, even one whose pages were never touched.
    """
    np.empty(24 * 2**20, np.uint8)
