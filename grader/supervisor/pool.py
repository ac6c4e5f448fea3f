"""Hands out workers for one submission, and adds up what those of a test used and printed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from assignment.manifest import Limits
from grader.faults import GraderFault, Killed, SubmissionFailure, machine_errors_as_faults
from grader.supervisor.budget import TimeBudget
from grader.supervisor.process import MAX_OUTPUT, ScratchFolder
from grader.supervisor.worker import Worker
from grader.supervisor.zygote import Zygote
from grader.wire import messages


class Account:
    """Adds up what a test's workers do, one after the other; one may have had tests before."""

    def __init__(self) -> None:
        self._charged, self._printed = 0.0, ""  # by workers that are gone
        self._worker: Worker | None = None
        self._charged_before = 0.0  # by the present one, before this test
        self.has_earlier_tests = False  # the present one ran tests before this one

    def begin(self, worker: Worker, has_earlier_tests: bool = False) -> None:
        """Counts what this worker does from now on."""
        self._worker, self.has_earlier_tests = worker, has_earlier_tests
        self._charged_before = worker.charged if has_earlier_tests else 0.0

    def end(self) -> None:
        """The present worker is gone, or is another test's."""
        self._charged, self._printed = self.charged, self.output
        self._worker, self.has_earlier_tests = None, False

    @property
    def charged(self) -> float:
        """Seconds of CPU, the judge's for messages too, and of sleep."""
        now = self._worker.charged - self._charged_before if self._worker else 0.0
        return self._charged + now

    @property
    def output(self) -> str:
        """The end of what the submission's code printed until now, up to a cap."""
        if self._worker is not None:
            self._printed = (self._printed + self._worker.process.output.take())[-MAX_OUTPUT:]
        return self._printed


class WorkerPool:
    """Starts workers, and keeps a spare one ready.

    The spare is forked and locked down while the test before it still runs; it learns nothing of
    its test before `go`. `submission` is staged, and has `package` in it.
    """

    def __init__(
        self,
        zygote: Zygote,
        submission: Path,
        package: str,
        spare: bool = True,
        budget: TimeBudget | None = None,  # of the grading; unlimited if None
    ) -> None:
        self.zygote, self.submission, self.package = zygote, submission, package
        self.budget = budget or TimeBudget(math.inf)
        self._keeps_spare = spare
        self._spare: Worker | None = None
        self._kept: tuple[str, Worker] | None = None

    @machine_errors_as_faults("no worker could be started")
    def start(
        self,
        limits: Limits,
        seed: int,
        scratch: ScratchFolder | None = None,
        package: str | None = None,
        watch: messages.Watch = "",
    ) -> Worker:
        """Starts a fresh worker that may import the submission.

        Args:
            limits: what it may use.
            seed: of its global random generators.
            scratch: the folder of an earlier worker that has ended; a new folder if None.
            package: in place of the submission's; "" for a worker that may import none.
            watch: which of its calls wait for the judge; none of the spare's do.

        Raises:
            GraderFault: no worker could be started, before any code of the submission ran.
        """
        if self._kept is not None:  # nothing would be charged for what it does beside this one
            with suppress(SubmissionFailure):
                self._kept[1].stop()
        for _ in range(2):
            worker = self._take(scratch, watch)
            try:
                worker.wait_until_ready()
                if self._keeps_spare and self._spare is None:
                    self._spare = self._fork()
                worker.go(self.package if package is None else package, limits, seed)
            except Killed:  # not by the judge
                worker.kill(keep_scratch=scratch is not None)
            except BaseException:
                with suppress(GraderFault):  # the first exception says more
                    worker.kill()
                raise
            else:
                return worker
        raise GraderFault("two workers in turn were killed before they ran anything")

    def keep(self, group: str, worker: Worker) -> None:
        """Keeps the worker of a test that is over, for the next test of its group."""
        self.end_kept()
        self._kept = group, worker

    def take_kept(self, group: str, seed: int, account: Account) -> Worker | None:
        """The worker that the last test of this group left, ready for another, or None.

        What it was charged since that test counts for this one.
        """
        if self._kept is None or self._kept[0] != group:
            return None
        (_, worker), self._kept = self._kept, None
        account.begin(worker, has_earlier_tests=True)
        try:
            worker.resume()
            worker.begin_next_test(seed)
        except SubmissionFailure:
            worker.kill()
            account.end()
            return None
        except BaseException:
            with suppress(GraderFault):  # the first exception says more
                worker.kill()
            raise
        return worker

    def end_kept(self, other_than: str = "") -> None:
        """Ends the worker that is kept, unless it is this group's."""
        if self._kept is not None and self._kept[0] != other_than:
            (_, worker), self._kept = self._kept, None
            worker.kill()

    @contextmanager
    def worker(self, limits: Limits, seed: int) -> Iterator[Worker]:
        """A fresh worker, which is killed at the end; raises what `start` raises."""
        worker = self.start(limits, seed)
        try:
            yield worker
        finally:
            worker.kill()

    def close(self) -> None:
        """Ends the workers that no test has; those that were handed out stay."""
        self.end_kept()
        if self._spare is not None:
            self._spare.kill()
            self._spare = None

    def _take(self, scratch: ScratchFolder | None, watch: messages.Watch) -> Worker:
        if scratch is not None or watch:
            return self._fork(scratch, watch)
        spare, self._spare = self._spare, None
        return spare or self._fork()

    def _fork(self, scratch: ScratchFolder | None = None, watch: messages.Watch = "") -> Worker:
        scratch = scratch or self.zygote.new_scratch()
        process = self.zygote.fork_worker(self.submission, scratch, watch)
        return Worker(self.zygote, process, self.budget)
