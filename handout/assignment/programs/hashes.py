"""A chain of hashes: no exercise, but what races themselves are tested with."""

from __future__ import annotations

import hashlib
from typing import Any

import torch

from assignment.programs import Program, program


@program("hash_chain")
class HashChain(Program):
    """A chain of SHA-256, whose time is proportional to its length: races are tested with it.

    `student.spin.hash_block(state, rounds)` returns the state after so many rounds.
    """

    @staticmethod
    def sizes_on(kind: str, memory: int) -> dict[str, int]:
        return {"blocks": 4, "rounds": 3000}

    def make(self) -> None:
        """All of it follows from the start."""

    def run(self, student: Any, start: int) -> list[torch.Tensor]:
        state = hashlib.sha256(start.to_bytes(16, "little", signed=True)).digest()
        for _ in range(self.sizes["blocks"]):
            state = student.spin.hash_block(state, self.sizes["rounds"])
            # Not what the block gave, but what depends on it: a block that was skipped shows.
            state = hashlib.sha256(state[::-1]).digest()
        return [torch.frombuffer(bytearray(state), dtype=torch.uint8)]
