"""Runs a program under smaller and smaller memory budgets, and notes which are enough."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from assignment import programs
from assignment.manifest import Limits
from grader.judge.failure import NotMeasured, SubmissionFailure
from grader.judge.pool import WorkerPool
from grader.judge.timing.device_test import DeviceTest
from grader.results.causes import Cause
from grader.results.record import Fit

_CONTEXT = 2**29  # bytes that a process takes of a CUDA device before its first tensor
_OVERHEAD = 16  # MiB that a process takes of a CPU's memory beside its tensors
_TOLERANCE = 1e-3  # relative error: recomputed values are nearly equal


class MemoryBudgets(DeviceTest):
    """The memory budgets of one program."""

    def run(self) -> Fit:
        """Tries each budget, the largest first.

        Raises:
            SubmissionFailure: the submission did not answer, or not rightly.
            NotMeasured: the reference needs more than the smallest budget here, or the naive
                program no more than the largest.
            GraderFault: the reference failed otherwise.
        """
        budgets = self.kind.budgets(self.sizes)
        with self.device.exclusively():
            seed, start = self.draw()
            inputs = self.inputs(seed)
            with self.trusted():
                right = self._output(self.parties.reference, budgets[-1], inputs, start)
            if right is None:
                raise NotMeasured(f"the reference itself needs more than {budgets[-1]} bytes here")
            with self.trusted():
                kept = self._output(self.parties.naive, budgets[0], inputs, start)
            if kept is not None:
                raise NotMeasured(f"on {self.device.name} {budgets[0]} bytes are enough for all")
            fitted = []
            for budget in budgets:
                found = self._output(self.parties.submission, budget, inputs, start)
                if found is not None and (reason := _wrong(found, right)):
                    raise SubmissionFailure(Cause.WRONG_ANSWER, f"{self.program}: {reason}")
                fitted.append(found is not None)
        return Fit(
            program=self.program,
            device=self.device.name,
            sizes=dict(self.sizes),
            budgets=budgets,
            fitted=tuple(fitted),
        )

    def _output(self, who: WorkerPool, budget: int, inputs: Any, start: int) -> Any:
        """A program's output under a budget; None if it runs out of memory."""
        seed = int(self.rng.integers(2**63))
        with self._only(budget) as limits, who.worker(limits, seed) as worker:
            try:
                worker.call("programs.prepare", inputs, {"warm_ups": 0})
                return worker.call("programs.run", (self.program, start), {})
            except SubmissionFailure as failure:
                if failure.cause is Cause.MEMORY:
                    return None
                raise

    @contextmanager
    def _only(self, budget: int) -> Iterator[Limits]:
        """Leaves a worker `budget` bytes of the device's memory."""
        if self.device.kind == "cpu":
            memory = budget // 2**20 + _OVERHEAD
            yield msgspec.structs.replace(self.limits, memory_mib=memory, address_space=False)
            return
        # A process of ours holds the rest: a worker's own report of its memory is not trusted.
        with self.parties.reference.worker(self.limits, 0) as ballast:
            ballast.call("programs.hold", (self.device.kind, budget + _CONTEXT), {})
            yield self.limits


def _wrong(found: Any, right: Any) -> str:
    return programs.unacceptable(found, right, [_TOLERANCE] * len(right))
