"""What all tests on a device share: whose programs run, where, and on which inputs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from assignment import programs
from assignment.manifest import Limits
from grader.causes import Cause
from grader.faults import GraderFault, NotMeasured, SubmissionFailure
from grader.races.device import Device
from grader.races.statistic import RaceRules
from grader.results.record import Fit, Timing, Truth
from grader.supervisor.pool import WorkerPool


@dataclass(frozen=True)
class Parties:
    """Starts the workers of each party."""

    submission: WorkerPool
    reference: WorkerPool
    naive: WorkerPool


@dataclass
class DeviceTest(ABC):
    """The test of one program on one device."""

    program: str  # its name in `assignment/programs`
    parties: Parties
    device: Device
    limits: Limits  # of each worker
    rng: np.random.Generator  # draws seeds and starts, which nobody can know before
    rules: RaceRules

    def __post_init__(self) -> None:
        self.program_class = programs.find(self.program)
        self.sizes = self.program_class.sizes_on(self.device.kind, self.device.memory)

    @abstractmethod
    def run(self) -> Timing | Fit | Truth:
        """Measures the submission's program."""

    def draw(self) -> tuple[int, int]:
        """Draws the seed of a program's inputs, and that of a run's start state."""
        seed, start = self.rng.integers(2**62, size=2)
        return int(seed), int(start)

    def inputs(self, seed: int) -> tuple[Any, ...]:
        """The arguments of `programs.prepare`."""
        return self.program, self.device.kind, self.sizes, seed

    def accept(self, output: Any, expected: Any, tolerances: list[float]) -> None:
        """Raises SubmissionFailure unless an output is near the expected one, tensor by tensor."""
        if reason := programs.unacceptable(output, expected, tolerances):
            raise SubmissionFailure(Cause.WRONG_ANSWER, f"{self.program}: {reason}")

    @contextmanager
    def trusted(self) -> Iterator[None]:
        """Around a program of ours: its failure is the grader's."""
        try:
            yield
        except (GraderFault, NotMeasured):
            raise
        except Exception as error:  # of any built-in class
            raise GraderFault(f"{self.program} of ours failed: {error}") from error
