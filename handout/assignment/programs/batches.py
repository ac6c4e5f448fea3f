"""A timed program: batches are loaded from host memory while the device works."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from assignment.programs import Program, Work


class Batches(Program, name="batches"):
    """Batches from host memory, moved by `student.device.prefetch` while the device works.

    The start draws, for each round, the order of the batches and one new row of each, so copies
    kept on the device from an earlier round are stale. Each batch changes a state, nonlinearly.
    """

    @staticmethod
    def sizes_on(kind: str, memory: int) -> dict[str, int]:
        if kind == "cpu":
            return {"rows": 64, "columns": 64, "batches": 8, "rounds": 2}
        # 48 MiB each; the product takes about as long as the copy. Few, since pinning takes long.
        return {"rows": 8192, "columns": 1536, "batches": 8, "rounds": 16}

    @staticmethod
    def work(sizes: Mapping[str, int]) -> Work:
        batches = sizes["rows"] * sizes["columns"] * sizes["batches"] * sizes["rounds"]
        return Work(2.0 * batches * sizes["columns"], 4.0 * batches, 4.0 * batches)

    def make(self) -> None:
        rows, columns, count = (self.sizes[name] for name in ("rows", "columns", "batches"))
        self.batches = [self._on_host(self.normal(rows, columns)) for _ in range(count)]
        self.replaced: list[tuple[torch.Tensor, torch.Tensor]] = []  # a row, and its old values
        self.weight = self.normal(columns, columns) / columns**0.5

    def _on_host(self, batch: torch.Tensor) -> torch.Tensor:
        """A batch in host memory; pinned if a device copies it, since pinning takes far longer."""
        if self.device.type == "cpu":
            return batch
        return torch.empty(batch.shape, dtype=batch.dtype, pin_memory=True).copy_(batch)

    def run(self, student: Any, start: int) -> list[torch.Tensor]:
        """The state after all batches that `prefetch` gave, and their number."""
        generator = self.start_generator(start)
        state = torch.zeros(self.sizes["columns"], device=self.device, dtype=self.dtype)
        count = 0
        for _ in range(self.sizes["rounds"]):
            self._replace_rows(generator)
            order = torch.randperm(len(self.batches), generator=generator).tolist()
            batches = ((self.batches[i],) for i in order)
            for (batch,) in student.device.prefetch(batches, self.device):
                state = torch.tanh((batch + state) @ self.weight).mean(0) + state / 2
                count += 1
            # Waits for every copy of a batch, since the next round writes to the batches.
            state = state.cpu().to(self.device)
        return [state, torch.tensor(count)]

    def _replace_rows(self, generator: torch.Generator) -> None:
        """Restores the rows replaced before, then replaces a random row of each batch."""
        for row, before in self.replaced:
            row.copy_(before)
        count, columns = self.sizes["batches"], self.sizes["columns"]
        where = torch.randint(self.sizes["rows"], (count,), generator=generator).tolist()
        fresh = torch.randn(count, columns, generator=generator).to(self.dtype)
        self.replaced = [(b[i], b[i].clone()) for b, i in zip(self.batches, where, strict=True)]
        for (row, _), values in zip(self.replaced, fresh, strict=True):
            row.copy_(values)
