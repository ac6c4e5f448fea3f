"""Counts what a step of `small_transformer` needs: parameters, FLOPs, and bytes of live tensors.

Nothing here depends on the machine. Tensors on the meta device have shapes and lifetimes, but no
elements: there a step of GPT-2 is counted in a second and in no memory, and to the same byte as on
a CPU.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import FlopCounterMode

from assignment.material.small_transformer import Sizes, Transformer, adamw, training_step


class LiveBytes(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts the bytes of all storages that are alive while operations run in this mode.

    A storage counts from the operation that returns a tensor of it until the last tensor of it is
    gone. Memory that an operation uses inside, and rounding by an allocator, do not count.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.alive = self.peak = 0  # bytes now, and most at any time
        self.log: list[int] = []  # bytes alive after each operation
        self._seen: set[int] = set()  # the storages that are alive

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        for leaf in tree_leaves(result):
            if isinstance(leaf, torch.Tensor):
                self.watch(leaf)
        self.log.append(self.alive)
        return result

    def watch(self, tensor: torch.Tensor) -> None:
        """Counts a tensor's storage from now on, for one that was made before the mode began."""
        storage = tensor.untyped_storage()
        if storage._cdata not in self._seen:
            self._seen.add(storage._cdata)
            self.change(storage.nbytes())
            gone = weakref.finalize(storage, self._forget, storage._cdata, storage.nbytes())
            gone.atexit = False

    def _forget(self, storage: int, size: int) -> None:
        self._seen.discard(storage)
        self.change(-size)

    def change(self, size: int) -> None:
        """A storage of this size is new; or gone, if the size is negative."""
        self.alive += size
        self.peak = max(self.peak, self.alive)


class Run:
    """A model in the midst of its training: all gradients and moments are there."""

    def __init__(self, sizes: Sizes, device: str) -> None:
        with torch.device(device):
            self.model = Transformer(sizes)
            shape = (sizes.batch, sizes.context)
            self.tokens, self.targets = (torch.randint(sizes.vocab, shape) for _ in range(2))
        self.optimizer = adamw(self.model)
        for parameter in self.model.parameters():
            parameter.grad = torch.zeros_like(parameter)
        self.optimizer.step()

    def step(self) -> torch.Tensor:
        """One step of the training."""
        return training_step(self.model, self.optimizer, self.tokens, self.targets)

    def tensors(self) -> list[torch.Tensor]:
        """All tensors that are there between two steps."""
        held = [tensor for _, part in state_of(self.model, self.optimizer) for tensor in part]
        return [self.tokens, self.targets, *held]


def state_of(
    model: Transformer, optimizer: torch.optim.Optimizer
) -> Iterator[tuple[str, list[torch.Tensor]]]:
    """The tensors of a training between two steps, by names in the table of `train`."""
    yield "parameter_bytes", list(model.parameters())
    yield "gradient_bytes", [p.grad for p in model.parameters() if p.grad is not None]
    values = [value for state in optimizer.state.values() for value in state.values()]
    yield "optimizer_bytes", [value for value in values if isinstance(value, torch.Tensor)]
    yield "buffer_bytes", list(model.buffers())


@dataclass(frozen=True)
class Counts:
    """What a step needs."""

    parameters: int
    flops: int
    peak_bytes: int


def count_parameters(sizes: Sizes) -> int:
    """The parameters of the model; a shared matrix counts once."""
    with torch.device("meta"):
        return sum(parameter.numel() for parameter in Transformer(sizes).parameters())


def count_step(sizes: Sizes, device: str = "meta") -> Counts:
    """Counts one step, in the midst of the training.

    FLOPs are those of `torch.utils.flop_counter.FlopCounterMode`: 2·m·k·n for a product of an m×k
    and a k×n matrix, and 0 for everything else.
    """
    run, live, flops = Run(sizes, device), LiveBytes(), FlopCounterMode(display=False)
    for tensor in run.tensors():
        live.watch(tensor)
    with flops, live:
        run.step()
    parameters = sum(parameter.numel() for parameter in run.model.parameters())
    return Counts(parameters, flops.get_total_flops(), live.peak)


# Relative errors of a prediction that earn all of its marks, and part of them.
FULL = {"parameters": 0.0, "flops": 0.0, "peak_bytes": 0.05}
PART = {"flops": 0.1, "peak_bytes": 0.25}
