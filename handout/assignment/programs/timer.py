"""A program that checks the student's timer against another clock."""

from __future__ import annotations

import statistics
from typing import Any

import torch

from assignment.programs import Program

PEAK = 1e12  # FLOP/s passed to `measured_mfu`, whatever the device


class Timer(Program, name="timer"):
    """`student.device.time_function` and `measured_mfu`, on work whose time the judge knows.

    The start decides the amount of work.
    """

    @staticmethod
    def sizes_on(kind: str, memory: int) -> dict[str, int]:
        return {"n": 128, "products": 20} if kind == "cpu" else {"n": 2048, "products": 20}

    def make(self) -> None:
        n = self.sizes["n"]
        self.weight: torch.Tensor = self.normal(n, n) / n**0.5

    def products(self, start: int) -> int:
        """The number of matrix products in one call of the timed function."""
        return self.sizes["products"] + start % 40

    def once(self, start: int) -> torch.Tensor:
        """One call of the function that the student's timer times."""
        x = self.weight
        for _ in range(self.products(start)):
            x = torch.tanh(x @ self.weight)
        return x

    def run(self, student: Any, start: int) -> list[torch.Tensor]:
        seconds = student.device.time_function(lambda: self.once(start), warmup=2, repeats=5)
        flops = 2 * self.sizes["n"] ** 3 * self.products(start)
        mfu = student.device.measured_mfu(flops, seconds, PEAK)
        from_mfu = flops / mfu / PEAK  # the seconds that the MFU stands for
        reported = [float(statistics.median(seconds)), float(from_mfu)]
        return [torch.tensor(reported, dtype=torch.float64)]

    def repeat(self, calls: int, start: int) -> list[torch.Tensor]:
        for _ in range(calls):
            x = self.once(start)
        return [x[:1]]
