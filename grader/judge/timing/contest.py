"""What all tests on a device share: who runs, where, on which inputs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from assignment import programs
from assignment.manifest import Limits
from grader.judge.failure import GraderFault
from grader.judge.proxy import Workers
from grader.judge.timing.device import Device


class NotMeasured(Exception):
    """This device, at this time, does not tell a good program from a bad one."""


@dataclass(frozen=True)
class Entrants:
    """Where each party's workers come from."""

    submission: Workers
    reference: Workers
    naive: Workers


@dataclass
class Contest:
    """One program's test on one device.

    Args:
        program: its name in `assignment/programs`.
        entrants: who runs.
        device: where.
        limits: of each worker.
        rng: draws seeds and starts; nobody can know them before.
    """

    program: str
    entrants: Entrants
    device: Device
    limits: Limits
    rng: np.random.Generator

    def __post_init__(self) -> None:
        self.kind = programs.find(self.program)
        self.sizes = self.kind.sizes_on(self.device.kind, self.device.memory)

    def draw(self) -> tuple[int, int]:
        """A seed of inputs, and a start."""
        seed, start = self.rng.integers(2**62, size=2)
        return int(seed), int(start)

    def inputs(self, seed: int) -> tuple[Any, ...]:
        """What `programs.prepare` takes."""
        return self.program, self.device.kind, self.sizes, seed

    @contextmanager
    def trusted(self) -> Iterator[None]:
        """Around a program of ours: its failure is not the submission's."""
        try:
            yield
        except (GraderFault, NotMeasured):
            raise
        except Exception as error:  # of any built-in class, as its code raised it
            raise GraderFault(f"{self.program} of ours failed: {error}") from error
