"""A timed program: batches are loaded from host memory while the device works."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from assignment.programs import Program, program


@program("batches")
class Batches(Program):
    """Batches from host memory, moved by `student.device.prefetch` while the device works.

    The start decides the order of the batches and one random row of each, so copies that were kept
    on the device from an earlier run are stale. Each batch changes a state, by a nonlinear
    function.
    """

    @staticmethod
    def sizes_on(kind: str, memory: int) -> dict[str, int]:
        if kind == "cpu":
            return {"rows": 64, "columns": 64, "batches": 8, "products": 1}
        # 64 MiB each; the product takes about as long as the copy.
        return {"rows": 8192, "columns": 2048, "batches": 16, "products": 1}

    @staticmethod
    def work(sizes: Mapping[str, int]) -> tuple[float, float]:
        batch = sizes["rows"] * sizes["columns"] * sizes["batches"]
        return 2.0 * batch * sizes["columns"], 4.0 * batch

    def make(self) -> None:
        rows, columns, count = (self.sizes[name] for name in ("rows", "columns", "batches"))
        self.batches = [self._on_host(self.normal(rows, columns)) for _ in range(count)]
        self.replaced: list[tuple[torch.Tensor, torch.Tensor]] = []  # a row, and its old values
        self.weight = self.normal(columns, columns) / columns**0.5

    def _on_host(self, batch: torch.Tensor) -> torch.Tensor:
        """A batch in host memory; pinned if a device copies it, since pinning takes far longer."""
        return batch.cpu().pin_memory() if self.device.type == "cuda" else batch

    def run(self, student: Any, start: int) -> list[torch.Tensor]:
        drawn = self.drawn_by(start)
        self._replace_rows(drawn)
        order = torch.randperm(len(self.batches), generator=drawn).tolist()
        state = torch.zeros(self.sizes["columns"], device=self.device, dtype=self.dtype)
        given = 0
        for (batch,) in student.device.prefetch(((self.batches[i],) for i in order), self.device):
            for _ in range(self.sizes["products"]):
                state = torch.tanh((batch + state) @ self.weight).mean(0) + state / 2
            given += 1
        return [state, torch.tensor(given)]

    def _replace_rows(self, drawn: torch.Generator) -> None:
        """Restores the rows replaced before, then replaces a random row of each batch."""
        for row, before in self.replaced:
            row.copy_(before)
        count, columns = self.sizes["batches"], self.sizes["columns"]
        where = torch.randint(self.sizes["rows"], (count,), generator=drawn).tolist()
        fresh = torch.randn(count, columns, generator=drawn).to(self.dtype)
        self.replaced = [(b[i], b[i].clone()) for b, i in zip(self.batches, where, strict=True)]
        for (row, _), values in zip(self.replaced, fresh, strict=True):
            row.copy_(values)
