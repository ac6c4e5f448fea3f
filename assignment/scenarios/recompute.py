"""Drives activation checkpointing through layers that ask the test for a part of their function.

So the test knows which layers ran, and when. For people, the report also says how many outputs were
held, as weak references to their storage show.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

from assignment.calls.world import LeftChanged
from assignment.material.step_counts import LiveBytes
from assignment.programs.memory import map_blocks_from
from assignment.scenarios import scenario
from assignment.scenarios.rolling import RollLayer


@scenario
def checkpointed_pass(
    student: Any,
    weights: Sequence[torch.Tensor],  # one for each layer
    x: torch.Tensor,
    segments: int,
    draw: Callable[[int], float],  # returns a layer's n; called with its index whenever it runs
    output_grad: Callable[[torch.Tensor], torch.Tensor] | None,  # from the output its gradient
    *,
    x_needs_grad: bool = False,
    frozen: Sequence[int] = (),  # indices of the layers whose weight requires no gradient
    clear_layers: bool = False,  # passes them as a list, and empties it before the backward pass
    dropout: float = 0.0,  # the fraction of its output that each layer sets to 0, at random
    seed: int = 0,  # torch's, before the forward pass
    autocast: bool = False,  # of the forward pass
) -> dict[str, Any]:
    """A forward pass by `checkpointed_forward`, and a backward pass.

    A matrix w makes a layer tanh(x @ w + n), where integers x are first taken modulo 7; a scalar
    makes a `RollLayer`, which takes far less time. Without `output_grad` there is only a forward
    pass, under `torch.no_grad()`.

    Returns:
        "output", "x_grad" and "weight_grads"; "x_is_marked": whether the forward pass changed
        `requires_grad` or `grad` of the caller's x; "drawn": draws from torch's generator
        afterwards; "autocast": for each run of a layer, whether it was enabled; for people, "held":
        the largest number of layers' outputs that were alive when a layer ran.

    Raises:
        LeftChanged: the backward pass changed the state of torch's generator.
    """
    outputs: list[StorageWeakRef] = []
    held: list[int] = []
    autocast_seen: list[bool] = []

    def note_held() -> None:
        # Drops those that are gone, since looking at all each time would take most of the time.
        outputs[:] = [output for output in outputs if not output.expired()]  # type: ignore[no-untyped-call]
        held.append(len(outputs))

    def layer_of(i: int, w: torch.Tensor) -> Callable[[torch.Tensor], torch.Tensor]:
        def layer(x: torch.Tensor) -> torch.Tensor:
            """Layer `i`; notes how many outputs are held before and after."""
            note_held()
            autocast_seen.append(torch.is_autocast_enabled("cpu"))
            n = draw(i)
            if not x.is_floating_point():
                x = x % 7
            x = torch.tanh(x.to(w.dtype) @ w + n) if w.dim() else RollLayer.apply(x, w, int(n))  # type: ignore[no-untyped-call]
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
    with torch.set_grad_enabled(output_grad is not None), torch.autocast("cpu", enabled=autocast):
        y = student.recompute.checkpointed_forward(
            layers if clear_layers else tuple(layers), x, segments
        )
    is_marked = x.requires_grad != x_needs_grad or x.grad is not None
    drawn = torch.get_rng_state()
    if clear_layers:
        layers.clear()
    if output_grad is not None:
        torch.autograd.backward(y, output_grad(y))
    if not torch.equal(torch.get_rng_state(), drawn):
        raise LeftChanged(
            "the backward pass leaves torch's generator changed; restore the state that it found"
        )
    return {
        "output": y,
        "x_is_marked": is_marked,
        "x_grad": x.grad,
        "weight_grads": [w.grad for w in tensors],
        "drawn": torch.rand(3, dtype=torch.float64),
        "autocast": autocast_seen,
        "held": max(held, default=0),
    }


class _MadeTensors(TorchFunctionMode):
    """Counts the bytes of the tensors that torch's functions return, as long as they are alive."""

    def __init__(self, live: LiveBytes) -> None:
        super().__init__()
        self._live = live

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        for leaf in tree_leaves(result):
            if isinstance(leaf, torch.Tensor):
                self._live.watch(leaf)
        return result


@scenario
def cross_entropy_in_chunks(
    student: Any, x: torch.Tensor, weight: torch.Tensor, targets: torch.Tensor, chunk_size: int
) -> dict[str, Any]:
    """Calls `chunked_cross_entropy`; memory of 64 KiB or more goes back as soon as it is freed.

    Returns:
        "results": what it returned; for people, "peak_bytes": the most bytes that tensors took at
        once, apart from the arguments and from what autograd makes and keeps inside.
    """
    map_blocks_from(2**16)
    live = LiveBytes()  # `with live` would load torch's compiler first, which takes seconds
    for given in (x, weight, targets):
        live.watch(given)
    before = live.alive
    with _MadeTensors(live):
        results = student.recompute.chunked_cross_entropy(x, weight, targets, chunk_size)
    return {"results": results, "peak_bytes": live.peak - before}
