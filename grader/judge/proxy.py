"""`impl` in the grader: each call goes to a sandboxed worker of its own test."""

from __future__ import annotations

import functools
import time
from pathlib import Path
from typing import Any

from assignment import plain
from assignment.implementation import Implementation
from assignment.manifest import Limits
from grader.judge.failure import GraderFault, SubmissionFailure
from grader.judge.worker import Worker
from grader.judge.zygote import Zygote


class Workers:
    """Hands out workers for one submission, and keeps the next one ready.

    A worker is forked and locked down while the test before it still runs; it learns nothing of
    its test before `go`.
    """

    def __init__(self, zygote: Zygote, submission: Path, package: str) -> None:
        self.zygote, self.submission, self.package = zygote, submission, package
        self._spare: tuple[Worker, tuple[str, int]] | None = None

    def take(self) -> tuple[Worker, tuple[str, int]]:
        """A fresh worker and its scratch folder; the next one is asked for at once."""
        taken, self._spare = self._spare or self._new(), None
        taken[0].ready()
        self._spare = self._new()
        return taken

    def another(self, scratch: tuple[str, int]) -> Worker:
        """A fresh worker over the scratch folder of an earlier one, which must be gone."""
        return Worker(self.zygote, self.submission, scratch)

    def close(self) -> None:
        """Ends the spare."""
        if self._spare is not None:
            self._spare[0].kill()
            self._spare = None

    def _new(self) -> tuple[Worker, tuple[str, int]]:
        scratch = self.zygote.new_scratch()
        return self.another(scratch), scratch


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
        self._place: tuple[str, int] | None = None
        self.answers = 0
        self.seconds = 0.0  # that the submission's calls took
        self._printed = ""  # by workers that are gone

    @functools.cached_property
    def scratch(self) -> Path:  # type: ignore[override]
        self._running()
        assert self._worker is not None
        return Path(self._worker.scratch)

    def call(self, target: str, /, *args: Any, **kwargs: Any) -> Any:
        worker = self._running()
        begun = time.monotonic()
        try:
            result = worker.call(target, args, kwargs, self._limits.seconds - self.seconds)
        except SubmissionFailure:
            self.answers += 1
            self._end(keep_scratch=True)  # `close` removes it
            raise
        except plain.NotPlainData as error:
            raise GraderFault(f"a test passed what cannot be sent: {error}") from error
        except Exception as error:
            self.answers += bool(getattr(error, "from_submission", False))
            raise
        finally:
            self.seconds += time.monotonic() - begun
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
            if self._place is None:
                self._worker, self._place = self._workers.take()
            else:
                self._worker = self._workers.another(self._place)
            self._worker.go(self._workers.package, self._limits, self._seed)
        return self._worker

    def _end(self, keep_scratch: bool = False) -> None:
        if self._worker is not None:
            self._worker.kill(keep_scratch)
            self._printed += self._worker.output
            self._worker = None
