"""Drives activation checkpointing through layers that ask the test for a part of their function.

So the test knows which layers ran, and when. For people, the report also says how many outputs are
held: a weak reference to an output's storage shows whether the output is still held.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch.multiprocessing.reductions import StorageWeakRef

from assignment.scenarios import scenario


@scenario
def checkpointed_pass(
    student: Any,
    weights: Sequence[torch.Tensor],
    x: torch.Tensor,
    segments: int,
    draw: Callable[[int], float],
    output_grad: Callable[[torch.Tensor], torch.Tensor] | None,
    *,
    x_needs_grad: bool = False,
    frozen: Sequence[int] = (),
    dropout: float = 0.0,
    seed: int = 0,
) -> dict[str, Any]:
    """A forward pass by `checkpointed_forward`, and a backward pass.

    Args:
        weights: one for each layer. A matrix w makes the layer tanh(x @ w + n), a scalar the layer
            u / (1 + |u|) of u = x + w · x.roll(n), which takes a fifth of the time.
        draw: called with its index each time that a layer runs; answers n.
        output_grad: called with the output after the forward pass; answers the gradient of the
            output. None means only a forward pass, under `torch.no_grad()`.
        x_needs_grad: whether the input requires a gradient.
        frozen: indices of the layers whose weight requires no gradient.
        dropout: the fraction of its output that each layer sets to 0, at random.
        seed: seed of torch before the forward pass.

    Returns:
        "output", "x_grad" and "weight_grads". For people: how many layers' outputs were "held" at
        most at any time that a layer ran, and torch's next "draws".
    """
    outputs: list[StorageWeakRef] = []
    held: list[int] = []

    def note_held() -> None:
        held.append(sum(not output.expired() for output in outputs))  # type: ignore[no-untyped-call]

    def layer_of(i: int, w: torch.Tensor) -> Callable[[torch.Tensor], torch.Tensor]:
        def layer(x: torch.Tensor) -> torch.Tensor:
            note_held()
            n = draw(i)
            x = torch.tanh(x @ w + n) if w.dim() else _RollLayer.apply(x, w, int(n))  # type: ignore[no-untyped-call]
            if dropout:
                x = x * (torch.rand(x.shape) >= dropout)
            outputs.append(StorageWeakRef(x.untyped_storage()))  # type: ignore[no-untyped-call]
            note_held()
            return x

        return layer

    x = x.clone().requires_grad_(x_needs_grad)
    tensors = [w.clone().requires_grad_(i not in frozen) for i, w in enumerate(weights)]
    layers = [layer_of(i, w) for i, w in enumerate(tensors)]
    torch.manual_seed(seed)
    with torch.set_grad_enabled(output_grad is not None):
        y = student.recompute.checkpointed_forward(layers, x, segments)
    if output_grad is not None:
        torch.autograd.backward(y, output_grad(y))
    return {
        "output": y,
        "x_grad": x.grad,
        "weight_grads": [w.grad for w in tensors],
        "held": max(held, default=0),
        "draws": torch.rand(4),
    }


class _RollLayer(torch.autograd.Function):
    """u / (1 + |u|) of u = x + w · x.roll(n), by numpy: its memory can be reused when it is freed.

    torch allocates aligned memory. A block that one layer frees is then too small for the next
    layer, so the memory of the process says little about how much is held. n is saved as a tensor:
    like all saved tensors, the backward pass uses that of the layer's last run.
    """

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, w: torch.Tensor, n: int) -> torch.Tensor:
        ctx.save_for_backward(x, w, torch.tensor(n))
        return torch.from_numpy(_roll_layer(x.detach().numpy(), w.item(), n))

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, None]:
        x, w, n = (saved.detach().numpy() for saved in ctx.saved_tensors)
        grad = _roll_layer(x, float(w), int(n))
        np.abs(grad, out=grad)
        np.subtract(1, grad, out=grad)
        np.square(grad, out=grad)
        grad *= grads[0].numpy()  # the gradient of u
        rolled = np.roll(x, int(n))
        rolled *= grad
        w_grad = rolled.sum()
        rolled_back = np.roll(grad, -int(n))
        rolled_back *= float(w)
        grad += rolled_back
        return torch.from_numpy(grad), torch.tensor(w_grad, dtype=grads[0].dtype), None


def _roll_layer(x: np.ndarray, w: float, n: int) -> np.ndarray:
    y = np.roll(x, n)
    y *= w
    y += x
    divisor = np.abs(y, out=_spare(len(y), y.dtype))
    divisor += 1
    y /= divisor
    return y


@functools.lru_cache(maxsize=1)
def _spare(elements: int, dtype: np.dtype) -> np.ndarray:
    """Memory for one layer's intermediate result: made once, since new memory costs time."""
    return np.empty(elements, dtype)
