"""A timed program: optimizer steps over many tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from assignment.programs import Program, Work

_SETTINGS: dict[str, Any] = {"lr": 0.01, "betas": (0.9, 0.99), "eps": 1e-8, "weight_decay": 0.1}


class AdamW(Program, name="adamw"):
    """Steps of AdamW over many tensors, by `student.performance.adamw_update`.

    The gradients of a step are computed from the parameters after the previous step.
    """

    @staticmethod
    def sizes_on(kind: str, memory: int) -> dict[str, int]:
        if kind == "cpu":
            return {"tensors": 60, "elements": 500, "steps": 10}
        # Large enough that the device takes twice as long as Python takes to start the reference's
        # kernels: what an interpreter takes varies by more from process to process.
        elements = 2**20 if memory >= 20 * 2**30 else 2**18
        return {"tensors": 200, "elements": elements, "steps": 30}

    @staticmethod
    def exact_dtype(kind: str) -> torch.dtype:
        return torch.float64  # the program itself is float32: float32 would not show its error

    @staticmethod
    def work(sizes: Mapping[str, int]) -> Work:
        # A step reads parameter, gradient and two moments, and writes all but the gradient: seven
        # numbers. The program itself moves five more to compute the gradient.
        count = sizes["tensors"] * sizes["elements"] * sizes["steps"]
        return Work(12.0 * count, 4.0 * (7 + 5) * count)

    def make(self) -> None:
        params, targets = self.normal(2, self.sizes["tensors"], self.sizes["elements"])
        self.params, self.targets = list(params.unbind()), list(targets.unbind())

    def run(self, student: Any, start: int) -> list[torch.Tensor]:
        scale = (1 + torch.rand(len(self.params), generator=self.start_generator(start))).tolist()
        params = list(torch._foreach_mul(self.params, scale))
        exp_avgs = [torch.zeros_like(p) for p in params]
        exp_avg_sqs = [torch.zeros_like(p) for p in params]
        for step in range(1, self.sizes["steps"] + 1):
            grads = torch._foreach_sub(params, self.targets)
            torch._foreach_sin_(grads)
            student.performance.adamw_update(
                params, grads, exp_avgs, exp_avg_sqs, step=step, **_SETTINGS
            )
        return [torch.stack(params)]
