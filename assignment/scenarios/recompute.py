"""Drives activation checkpointing, and records which layers run and which outputs are held.

Each layer records when it runs. A weak reference to an output's storage shows whether the output is
still held.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from assignment.scenarios import scenario


@scenario
def checkpointed_pass(
    student: Any,
    weights: Sequence[torch.Tensor],
    x: torch.Tensor,
    segments: int,
    output_grad: torch.Tensor | None = None,
    *,
    x_needs_grad: bool = False,
    frozen: Sequence[int] = (),
    dropout: float = 0.0,
    seed: int = 0,
) -> dict[str, Any]:
    """A forward pass by `checkpointed_forward`, and a backward pass.

    Args:
        weights: one for each layer. A matrix w makes the layer tanh(x @ w), a vector the layer
            x * w.
        output_grad: gradient of the output; None means only a forward pass, under
            `torch.no_grad()`.
        frozen: indices of the layers whose weight requires no gradient.
        dropout: the fraction of its output that each layer sets to 0, at random.
        seed: seed of torch before the forward pass.

    Returns:
        "output", whether it "requires_grad", "x_grad" and "weight_grads"; which layers ran, in
        order, as "forward_calls" and "backward_calls"; how many layers' outputs were "held",
        "after" the forward pass and "at most" at any time that a layer ran; and torch's next
        "draws".
    """
    calls: list[int] = []
    outputs: list[StorageWeakRef] = []
    held: list[int] = []

    def note_held() -> int:
        held.append(sum(not output.expired() for output in outputs))  # type: ignore[no-untyped-call]
        return held[-1]

    def layer_of(i: int, w: torch.Tensor) -> Callable[[torch.Tensor], torch.Tensor]:
        def layer(x: torch.Tensor) -> torch.Tensor:
            calls.append(i)
            note_held()
            x = torch.tanh(x @ w) if w.dim() == 2 else _Scale.apply(x, w)  # type: ignore[no-untyped-call]
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
    forward, after = len(calls), note_held()
    if output_grad is not None:
        torch.autograd.backward(y, output_grad)
    return {
        "output": y,
        "x_grad": x.grad,
        "weight_grads": [w.grad for w in tensors],
        "requires_grad": y.requires_grad,
        "forward_calls": calls[:forward],
        "backward_calls": calls[forward:],
        "held": {"after": after, "at most": max(held)},
        "draws": torch.rand(4),
    }


class _Scale(torch.autograd.Function):
    """x * w by numpy, whose memory can be reused after it is freed.

    torch allocates aligned memory. A block that one layer frees is then too small for the next
    layer, so the memory of the process says little about how much is held.
    """

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x, w)
        return torch.from_numpy(x.detach().numpy() * w.detach().numpy())

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x, w = (saved.detach().numpy() for saved in ctx.saved_tensors)
        grad = grads[0].numpy()
        return torch.from_numpy(grad * w), torch.from_numpy((grad * x).sum(0))
