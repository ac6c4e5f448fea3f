"""`impl` in the grader: each call goes to a sandboxed worker of its own test."""

from __future__ import annotations

import functools
import math
import time
from pathlib import Path
from typing import Any

from assignment import plain
from assignment.implementation import Implementation
from assignment.manifest import Limits
from grader.judge.failure import GraderFault, Killed, SubmissionFailure
from grader.judge.time_budget import TimeBudget
from grader.judge.worker import Worker
from grader.judge.zygote import Zygote

Scratch = tuple[str, int]  # a folder's name, and the user that it belongs to


class Workers:
    """Hands out workers for one submission, and keeps the next one ready.

    A worker is forked and locked down while the test before it still runs; it learns nothing of
    its test before `go`.

    Args:
        zygote: forks them.
        submission: the staged submission.
        package: the package in it.
        spare: whether to keep one ready.
        budget: of the grading that they are for; one without end if None.
    """

    def __init__(
        self,
        zygote: Zygote,
        submission: Path,
        package: str,
        spare: bool = True,
        budget: TimeBudget | None = None,
    ) -> None:
        self.zygote, self.submission, self.package = zygote, submission, package
        self.budget = budget or TimeBudget(math.inf)
        self._keeps_spare = spare
        self._spare: tuple[Worker, Scratch] | None = None

    def start(
        self, limits: Limits, seed: int, scratch: Scratch | None = None
    ) -> tuple[Worker, Scratch]:
        """A fresh worker that may import the submission, and its scratch folder.

        Args:
            limits: what it may use.
            seed: of its random numbers.
            scratch: the folder of an earlier worker, which must be gone; a new one if None.

        Raises:
            GraderFault: none can be had. No code of the submission has run.
        """
        for _ in range(2):
            worker, place = self._take(scratch)
            try:
                worker.ready()
                if self._keeps_spare and self._spare is None:
                    self._spare = self._new()
                worker.go(self.package, limits, seed)
            except Killed:  # by whatever else runs on this machine
                worker.kill(keep_scratch=scratch is not None)
            else:
                return worker, place
        raise GraderFault("two workers in turn were killed before they ran anything")

    def close(self) -> None:
        """Ends the spare."""
        if self._spare is not None:
            self._spare[0].kill()
            self._spare = None

    def _take(self, scratch: Scratch | None) -> tuple[Worker, Scratch]:
        if scratch is not None:
            return self._worker(scratch), scratch
        taken, self._spare = self._spare or self._new(), None
        return taken

    def _new(self) -> tuple[Worker, Scratch]:
        scratch = self.zygote.new_scratch()
        return self._worker(scratch), scratch

    def _worker(self, scratch: Scratch) -> Worker:
        return Worker(self.zygote, self.submission, scratch, self.budget.check_end)


class GradedImplementation(Implementation):
    """An implementation behind a process boundary; a worker is taken at the first use."""

    def __init__(
        self,
        workers: Workers,
        limits: Limits,
        seed: int,
    ) -> None:
        self._workers, self._limits, self._seed = workers, limits, seed
        self._worker: Worker | None = None
        self._place: Scratch | None = None
        self.answers = 0
        self._charged = 0.0  # to workers that are gone
        self._printed = ""  # by them

    @functools.cached_property
    def scratch(self) -> Path:  # type: ignore[override]
        self._running()
        assert self._worker is not None
        return Path(self._worker.scratch)

    def call(self, target: str, /, *args: Any, **kwargs: Any) -> Any:
        worker = self._running()
        try:
            worker.check_limits()
            result = worker.call(target, args, kwargs, self._limits.seconds - self.charged)
        except SubmissionFailure:
            self.answers += 1
            self._end(keep_scratch=True)  # `close` removes it
            raise
        except plain.NotPlainData as error:
            raise GraderFault(f"a test passed what cannot be sent: {error}") from error
        except Exception as error:
            self.answers += bool(getattr(error, "from_submission", False))
            raise
        self.answers += 1
        return result

    def restart(self) -> None:
        self._end(keep_scratch=True)

    def kill_during(self, delay: float, target: str, /, *args: Any, **kwargs: Any) -> bool:
        worker = self._running()
        worker.start_call(target, args, kwargs)
        time.sleep(delay)
        ended = worker.answered()
        self._end(keep_scratch=True)
        return not ended

    def peak_rss(self) -> int:
        return self._running().peak_rss()

    @property
    def charged(self) -> float:
        """Seconds of CPU and of sleep that the test's workers were charged."""
        return self._charged + (self._worker.charged if self._worker else 0.0)

    @property
    def output(self) -> str:
        """What the submission's code printed until now, up to a cap."""
        return self._printed + (self._worker.output if self._worker else "")

    def close(self) -> None:
        """Ends the worker and removes what it and those before it wrote."""
        if self._worker is None and self._place is not None:
            self._workers.zygote.discard(self._place[0])
        self._end()

    def _running(self) -> Worker:
        if self._worker is None:
            self._worker, self._place = self._workers.start(self._limits, self._seed, self._place)
        return self._worker

    def _end(self, keep_scratch: bool = False) -> None:
        if self._worker is not None:
            self._worker.kill(keep_scratch)
            self._charged += self._worker.charged
            self._printed += self._worker.output
            self._worker = None
