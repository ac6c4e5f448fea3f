"""A program that must fit into little memory: activation checkpointing of a deep stack."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Mapping
from typing import Any

import torch

from assignment.programs import Program

_M_MMAP_THRESHOLD = -3


def map_blocks_from(size: int) -> None:
    """Gives each block of so many bytes a memory map of its own, which ends with it; for glibc."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, size)


class Recompute(Program, name="recompute"):
    """Forward and backward pass of a deep stack, by `student.recompute.checkpointed_forward`.

    `student.recompute.best_segments` chooses the number of segments. Autograd keeps a layer's
    output for its backward pass, and not its input.
    """

    @staticmethod
    def sizes_on(kind: str, memory: int) -> dict[str, int]:
        if kind == "cpu":
            return {"layers": 64, "elements": 2**19}
        return {"layers": 64, "elements": 2**25 if memory >= 20 * 2**30 else 2**24}

    @staticmethod
    def budgets(sizes: Mapping[str, int]) -> tuple[int, ...]:
        # There are 64 activations. Two segments hold 2 + 32 of them, eight hold 8 + 8; inputs,
        # gradients and temporary tensors take some more.
        return tuple(4 * sizes["elements"] * count for count in (44, 25))

    def make(self) -> None:
        if self.device.type == "cpu":
            # glibc cannot reuse the gap of a freed aligned block for another one of the same size.
            map_blocks_from(2**20)
        self.x = self.normal(self.sizes["elements"])
        scales = torch.rand(self.sizes["layers"], generator=self.generator, device=self.device)
        self.scales = (scales + 0.5).to(self.dtype).requires_grad_()

    def run(self, student: Any, start: int) -> list[torch.Tensor]:
        shift = float(torch.rand((), generator=self.start_generator(start)))
        self.scales.grad = None
        layers = [lambda x, s=scale: torch.tanh(x * s) for scale in self.scales.unbind()]
        segments = student.recompute.best_segments(len(layers))
        y = student.recompute.checkpointed_forward(layers, self.x + shift, segments)
        y.square().mean().backward()
        assert self.scales.grad is not None
        return [self.scales.grad.clone(), y.detach().square().mean()]
