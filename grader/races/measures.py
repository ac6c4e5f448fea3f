"""Measures beside races: the memory budgets that are enough for a program, the truth of a timer."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import torch

from assignment.manifest import Limits
from grader.causes import Cause
from grader.faults import NotMeasured, SubmissionFailure
from grader.races.on_device import DeviceTest
from grader.results.record import Fit, Truth
from grader.supervisor.pool import WorkerPool

_CONTEXT = 2**29  # bytes that a process takes of a CUDA device before its first tensor
_OVERHEAD = 16  # MiB that a process takes of a CPU's memory beside its tensors
_TOLERANCE = 1e-3  # relative error: recomputed values are nearly equal


class MemoryBudgets(DeviceTest):
    """The memory budgets of one program."""

    def run(self) -> Fit:
        """Tries all budgets, the largest first.

        Raises:
            SubmissionFailure: the submission gave no answer, or a wrong one.
            NotMeasured: the reference needs more than the smallest budget here, or the naive
                program no more than the largest.
            GraderFault: a program of ours failed otherwise.
        """
        budgets = self.program_class.budgets(self.sizes)
        with self.device.exclusively():
            seed, start = self.draw()
            inputs = self.inputs(seed)
            with self.trusted():
                expected = self._output(self.parties.reference, budgets[-1], inputs, start)
            if expected is None:
                raise NotMeasured(f"the reference itself needs more than {budgets[-1]} bytes here")
            with self.trusted():
                naive = self._output(self.parties.naive, budgets[0], inputs, start)
            if naive is not None:
                raise NotMeasured(f"on {self.device.name} {budgets[0]} bytes are enough for all")
            fitted = []
            for budget in budgets:
                output = self._output(self.parties.submission, budget, inputs, start)
                if output is not None:
                    self.accept(output, expected, [_TOLERANCE] * len(expected))
                fitted.append(output is not None)
        return Fit(
            program=self.program,
            device=self.device.name,
            sizes=dict(self.sizes),
            budgets=budgets,
            fitted=tuple(fitted),
        )

    def _output(self, party: WorkerPool, budget: int, inputs: Any, start: int) -> Any:
        """A program's output under a budget; None if it runs out of memory."""
        seed = int(self.rng.integers(2**63))
        with self._limited_to(budget) as limits, party.worker(limits, seed) as worker:
            try:
                worker.call("programs.prepare", inputs, {"warm_ups": 0})
                return worker.call("programs.run", (self.program, start), {})
            except SubmissionFailure as failure:
                if failure.cause is Cause.MEMORY:
                    return None
                raise

    @contextmanager
    def _limited_to(self, budget: int) -> Iterator[Limits]:
        """Leaves a worker started within it `budget` bytes of the device's memory."""
        if self.device.kind == "cpu":
            memory = budget // 2**20 + _OVERHEAD
            yield msgspec.structs.replace(self.limits, memory_mib=memory, address_space=False)
            return
        # A process of ours holds the rest: a worker's own report of its memory is not trusted.
        with self.parties.reference.worker(self.limits, 0) as ballast:
            ballast.call("programs.fill_memory", (self.device.kind, budget + _CONTEXT), {})
            yield self.limits


_ROUNDS = 5
_FEW, _MANY = 10, 60  # calls; the difference cancels the overhead around them
ALLOWED = 0.2  # of the true time


class TimerTruth(DeviceTest):
    """The test of a timer program."""

    def run(self) -> Truth:
        """Times the same work in several rounds, by our clock and by the submission's timer.

        Raises:
            SubmissionFailure: the timer gave no answer, or the median of reported / true is not
                within `ALLOWED` of 1.
            GraderFault: a program of ours failed.
        """
        ratios = []
        with self.device.exclusively():
            for _ in range(_ROUNDS):
                seed, start = self.draw()
                inputs = self.inputs(seed)
                with self.trusted():
                    true = self._true_seconds(inputs, start)
                reported = self._reported_seconds(inputs, start)
                ratios.append([seconds / true for seconds in reported])
        seconds, mfu = map(statistics.median, zip(*ratios, strict=True))
        for ratio in (seconds, mfu):
            if not abs(ratio - 1) <= ALLOWED:
                raise SubmissionFailure(
                    Cause.WRONG_ANSWER, f"the timer reports {ratio:.2f} times the true seconds"
                )
        return Truth(program=self.program, device=self.device.name, seconds=seconds, mfu=mfu)

    def _reported_seconds(self, inputs: Any, start: int) -> list[float]:
        """Seconds of one call, by the submission's timer, and as they follow from its MFU."""
        seed = int(self.rng.integers(2**63))
        with self.parties.submission.worker(self.limits, seed) as worker:
            worker.call("programs.prepare", inputs, {})
            output = worker.call("programs.run", (self.program, start), {})
        # Only the form matters here: one tensor of two numbers, whatever they are.
        self.accept(output, [torch.zeros(2, dtype=torch.float64)], [float("inf")])
        return [float(seconds) for seconds in output[0]]

    def _true_seconds(self, inputs: Any, start: int) -> float:
        """Seconds of one call, by the judge's clock."""
        with self.parties.reference.worker(self.limits, 0) as worker:
            worker.call("programs.prepare", inputs, {})
            took = {}
            for calls in (_FEW, _MANY):
                begun = self.device.clock(worker.process.pid)
                worker.call("programs.repeat", (self.program, calls, start), {})
                took[calls] = self.device.clock(worker.process.pid) - begun
        return (took[_MANY] - took[_FEW]) / (_MANY - _FEW)
