"""A program for the tests of races: a chain of hashes, which no exercise uses."""

from __future__ import annotations

import hashlib
from typing import Any

import torch

from assignment.programs import Program


class HashChain(Program, name="hash_chain"):
    """A chain of SHA-256, whose time is proportional to its length.

    `student.spin.hash_block(state, rounds)` returns the state after `rounds` rounds.
    """

    @staticmethod
    def sizes_on(kind: str, memory: int) -> dict[str, int]:
        return {"blocks": 4, "rounds": 3000}

    def make(self) -> None:
        """Nothing to make: the start decides everything."""

    def run(self, student: Any, start: int) -> list[torch.Tensor]:
        state = hashlib.sha256(start.to_bytes(16, "little", signed=True)).digest()
        for _ in range(self.sizes["blocks"]):
            state = student.spin.hash_block(state, self.sizes["rounds"])
            # Hash the result again, so that a skipped block changes the final state.
            state = hashlib.sha256(state[::-1]).digest()
        return [torch.frombuffer(bytearray(state), dtype=torch.uint8)]


def known_to_zygotes() -> Any:
    """A patch, to start and stop: zygotes that start in the meantime load this module, too."""
    # Imported here, since a zygote loads this module and must not load the judge.
    from unittest import mock

    from grader.supervisor import zygote
    from grader.worker.warmup import ADDED

    return mock.patch.dict(zygote._ENVIRONMENT, {ADDED: __name__})
