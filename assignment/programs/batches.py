"""Batches from host memory, while the device works."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from assignment.programs import Program, program


@program("batches")
class Batches(Program):
    """Batches from host memory, moved by `student.device.prefetch` while the device works.

    Which batch comes next follows from the start; each one enters a state, not linearly.
    """

    @staticmethod
    def sizes_on(kind: str, memory: int) -> dict[str, int]:
        if kind == "cpu":
            return {"rows": 64, "columns": 64, "distinct": 3, "batches": 8, "products": 1}
        # 64 MiB each; as many products as take about as long as the copy.
        return {"rows": 4096, "columns": 4096, "distinct": 6, "batches": 48, "products": 1}

    @staticmethod
    def work(sizes: Mapping[str, int]) -> tuple[float, float]:
        batch = sizes["rows"] * sizes["columns"] * sizes["batches"]
        return 2.0 * batch * sizes["columns"], 4.0 * batch

    def make(self) -> None:
        rows, columns = self.sizes["rows"], self.sizes["columns"]
        self.batches = [
            torch.randn(rows, columns, generator=self.generator).to(self.dtype)
            for _ in range(self.sizes["distinct"])
        ]
        weight = torch.randn(columns, columns, generator=self.generator) / columns**0.5
        self.weight = weight.to(self.device, self.dtype)

    def run(self, student: Any, start: int) -> list[torch.Tensor]:
        drawn = self.drawn_by(start)
        count = self.sizes["batches"]
        order = torch.randint(len(self.batches), (count,), generator=drawn).tolist()
        state = torch.zeros(self.sizes["columns"], device=self.device, dtype=self.dtype)
        given = 0
        for (batch,) in student.device.prefetch(((self.batches[i],) for i in order), self.device):
            for _ in range(self.sizes["products"]):
                state = torch.tanh((batch + state) @ self.weight).mean(0) + state / 2
            given += 1
        return [state, torch.tensor(given)]
