"""Compares what a timer reports with the judge's clock, for the same work."""

from __future__ import annotations

import statistics
from typing import Any

import torch

from assignment import programs
from grader.judge.failure import SubmissionFailure
from grader.judge.timing.device_test import DeviceTest
from grader.results.causes import Cause
from grader.results.record import Truth

_ROUNDS = 5
_FEW, _MANY = 10, 60  # calls; the difference cancels the overhead around them
ALLOWED = 0.2  # of the true time


class TimerTruth(DeviceTest):
    """The test of a timer program."""

    def run(self) -> Truth:
        """Times the same work in several rounds, and lets the timer report it.

        Raises:
            SubmissionFailure: the submission did not answer, or its median is too far from 1.
            GraderFault: a program of ours failed.
        """
        ratios = []
        with self.device.exclusively():
            for _ in range(_ROUNDS):
                seed, start = self.draw()
                inputs = self.inputs(seed)
                with self.trusted():
                    true = self._true(inputs, start)
                ratios.append([seconds / true for seconds in self._reported(inputs, start)])
        seconds, mfu = map(statistics.median, zip(*ratios, strict=True))
        for ratio in (seconds, mfu):
            if not abs(ratio - 1) <= ALLOWED:
                raise SubmissionFailure(
                    Cause.WRONG_ANSWER, f"the timer reports {ratio:.2f} times the true seconds"
                )
        return Truth(program=self.program, device=self.device.name, seconds=seconds, mfu=mfu)

    def _reported(self, inputs: Any, start: int) -> list[float]:
        """Seconds by the timer, and as they follow from its MFU."""
        seed = int(self.rng.integers(2**63))
        with self.parties.submission.worker(self.limits, seed) as worker:
            worker.call("programs.prepare", inputs, {})
            output = worker.call("programs.run", (self.program, start), {})
        like = [torch.zeros(2, dtype=torch.float64)]
        if reason := programs.unacceptable(output, like, [float("inf")]):
            raise SubmissionFailure(Cause.WRONG_ANSWER, f"{self.program}: {reason}")
        return [float(seconds) for seconds in output[0]]

    def _true(self, inputs: Any, start: int) -> float:
        """Seconds of one call, by the judge's clock."""
        with self.parties.reference.worker(self.limits, 0) as worker:
            worker.call("programs.prepare", inputs, {})
            took = {}
            for calls in (_FEW, _MANY):
                begun = self.device.clock(worker.pid)
                worker.call("programs.repeat", (self.program, calls, start), {})
                took[calls] = self.device.clock(worker.pid) - begun
        return (took[_MANY] - took[_FEW]) / (_MANY - _FEW)
