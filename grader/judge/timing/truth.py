"""Whether a timer tells the truth: what it reports of work that the judge times as well."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from assignment import programs
from assignment.manifest import Limits
from grader.judge.failure import GraderFault, SubmissionFailure
from grader.judge.timing.device import Device
from grader.judge.timing.race import Entrants
from grader.results.causes import Cause

_ROUNDS = 5
_FEW, _MANY = 10, 60  # calls; the difference is free of what is around them
ALLOWED = 0.2  # of the true time


@dataclass
class Truth:
    """A timer program on one device; the arguments are those of a race."""

    program: str
    entrants: Entrants
    device: Device
    limits: Limits
    rng: np.random.Generator

    def run(self) -> list[float]:
        """What was reported over what is true, in each round.

        Raises:
            SubmissionFailure: the submission did not answer, or its median is too far from 1.
            GraderFault: a program of ours failed.
        """
        sizes = programs.find(self.program).sizes_on(self.device.kind, self.device.memory)
        ratios = []
        with self.device.exclusively():
            for _ in range(_ROUNDS):
                seed, start = (int(n) for n in self.rng.integers(2**62, size=2))
                inputs = (self.program, self.device.kind, sizes, seed)
                true = self._true(inputs, start)
                ratios.append([seconds / true for seconds in self._reported(inputs, start)])
        for ratio in map(statistics.median, zip(*ratios, strict=True)):
            if not abs(ratio - 1) <= ALLOWED:
                raise SubmissionFailure(
                    Cause.WRONG_ANSWER, f"the timer reports {ratio:.2f} times the true seconds"
                )
        return [first for first, _ in ratios]

    def _reported(self, inputs: Any, start: int) -> list[float]:
        """Seconds by the timer, and as they follow from its MFU."""
        worker, _ = self.entrants.submission.start(self.limits, int(self.rng.integers(2**63)))
        try:
            worker.call("programs.prepare", inputs, {})
            output = worker.call("programs.run", (self.program, start), {})
        finally:
            worker.kill()
        like = [torch.zeros(2, dtype=torch.float64)]
        if reason := programs.unacceptable(output, like, [float("inf")]):
            raise SubmissionFailure(Cause.WRONG_ANSWER, f"{self.program}: {reason}")
        return [float(seconds) for seconds in output[0]]

    def _true(self, inputs: Any, start: int) -> float:
        """Seconds of one call, by the judge's clock."""
        worker, _ = self.entrants.reference.start(self.limits, 0)
        try:
            worker.call("programs.prepare", inputs, {})
            took = {}
            for calls in (_FEW, _MANY):
                begun = time.perf_counter()
                worker.call("programs.repeat", (self.program, calls, start), {})
                took[calls] = time.perf_counter() - begun
        except GraderFault:
            raise
        except Exception as error:
            raise GraderFault(f"{self.program} of ours failed: {error}") from error
        finally:
            worker.kill()
        return (took[_MANY] - took[_FEW]) / (_MANY - _FEW)
