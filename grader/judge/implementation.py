"""`impl` in the grader: each call goes to a sandboxed worker of its test."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import msgspec

from assignment.calls import plain
from assignment.calls.callbacks import KillProcess, StandInIterator
from assignment.calls.file_calls import Event, Seen, events
from assignment.calls.implementation import READERS, Calls, Implementation, Raised, driver_of
from assignment.hooks import seed_of
from assignment.manifest import Limits
from grader.causes import Cause
from grader.faults import FromSubmission, GraderFault, SubmissionFailure, machine_errors_as_faults
from grader.judge.effort import Effort
from grader.judge.session import TestContext
from grader.judge.shown import KeptCalls
from grader.judge.verdict import GradedTest
from grader.races.runner import TimingRunner
from grader.supervisor import left_files
from grader.supervisor.pool import Account, WorkerPool
from grader.supervisor.process import ScratchFolder
from grader.supervisor.watching import Changes, FileCalls
from grader.supervisor.worker import Worker
from grader.wire.messages import Watch

_END = object()  # of an iterator


class GradedImplementation(Implementation):
    """An implementation behind a process boundary; the first use starts a worker.

    Tests of a `group` share one, one after the other; none is shared if that is empty. `seed` is of
    the workers' random numbers.
    """

    def __init__(self, pool: WorkerPool, limits: Limits, seed: int, group: str = "") -> None:
        self._pool, self._limits, self._seed, self._group = pool, limits, seed, group
        self._worker: Worker | None = None
        self._ended: Worker | None = None  # the one before
        self._folder: ScratchFolder | None = None  # shared by all workers of the test
        self.requests = 0  # this and `calls`: see `Graded`
        self.calls = KeptCalls(1)
        self._account = Account()
        self._kill_at = 0  # the change to files before which the next worker is killed; 0: none

    @functools.cached_property
    def scratch(self) -> Path:  # type: ignore[override]
        return Path(self._running().scratch_path)

    def call(self, target: str, /, *args: Any, **kwargs: Any) -> Any:
        _check_name(target)
        module, _, name = target.partition(".")
        if module == READERS:
            parses = name not in left_files.PARSE_NOTHING
            read = self._read_in_worker if parses else self._read_in_judge
            return read(target, args, kwargs)
        worker = self._running()
        call = self.calls.note(target, args, kwargs)
        found = self._ask(worker, worker.call, target, args, kwargs, self._seconds_left())
        self.calls.note_result(call, found)
        return found

    def call_all(self, calls: Calls) -> list[Any]:
        """All in one request: a request costs more than most calls. Raises if the worker ends."""
        if not calls:
            return []
        for target, _, _ in calls:
            _check_name(target)
        worker = self._running()
        found: list[Any] = self._ask(worker, worker.call_all, calls, self._seconds_left())
        for one in found:
            if isinstance(one, Raised):
                _blame_disk(one.error, worker)
        return found

    def iterate(self, target: str, /, *args: Any, **kwargs: Any) -> Iterator[Any]:
        _check_name(target)
        worker = self._running()
        call = self.calls.note(target, args, kwargs)
        items = self._ask(worker, worker.iterate, target, args, kwargs, self._seconds_left)
        self.calls.note_result(call, items)

        def next_item() -> Any:
            item = self._ask(worker, next, items, _END)
            if item is _END:
                raise StopIteration
            return item

        return StandInIterator(next_item)

    def restart(self) -> None:
        """In a new folder, too, unless the test has named the one that there was."""
        self._end(keep_scratch="scratch" in vars(self))
        self._seed += 1  # or its random numbers would be the last one's

    def kill_during(self, target: str, /, *args: Any, **kwargs: Any) -> bool:
        try:
            with self._worker_for_one_call(watch="changes"):
                self.kill_at_change(self._kill_at)
                self.call(target, *args, **kwargs)
        except KillProcess:
            return True
        finally:
            self._kill_at = 0
        return False

    def kill_at_change(self, number: int) -> None:
        self._kill_at = number
        if self._worker is not None and isinstance(self._worker.process.listener, Changes):
            self._worker.process.listener.kill_at(number)

    def watch_file(
        self,
        path: str,
        see: Callable[[Seen | None], None],
        target: str,
        /,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        with self._worker_for_one_call(watch="changes") as worker:
            assert isinstance(worker.process.listener, Changes), "this was asked for"
            with self._pool.zygote.open_scratch(worker.process.scratch) as folder:
                files = left_files.LeftFiles(folder, worker.scratch_path)
                worker.process.listener.look = lambda: see(files.seen(path))
                self.call(target, *args, **kwargs)

    def _read_in_worker(self, target: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Ends the submission's worker, then runs a reader in one without the submission."""
        with self._worker_for_one_call(package="") as worker:
            return self._ask(worker, worker.call, target, args, kwargs, self._seconds_left())

    def _read_in_judge(self, target: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Ends the submission's worker, then runs a reader that parses nothing here."""
        path = str(self.scratch)  # starts a worker if the test had none yet
        self._end(keep_scratch=True)
        self._pool.budget.check_end()
        if self._seconds_left() <= 0:
            raise SubmissionFailure(Cause.TIMEOUT, "the test's time was used up before")
        assert self._folder is not None, "`scratch` starts a worker"
        assert self._ended is not None, "`scratch` starts a worker"
        reader = target.removeprefix(f"{READERS}.")
        try:
            with self._pool.zygote.open_scratch(self._folder) as folder:
                result = getattr(left_files.LeftFiles(folder, path), reader)(*args, **kwargs)
        except GraderFault:
            raise
        except (SubmissionFailure, FromSubmission) as error:
            self.requests += 1
            _blame_disk(error, self._ended)
            raise
        except Exception as error:
            raise GraderFault(f"what a worker left could not be read: {error!r}") from error
        self.requests += 1
        return result

    @contextmanager
    def _worker_for_one_call(
        self, package: str | None = None, watch: Watch = ""
    ) -> Iterator[Worker]:
        """Ends the test's worker and starts another, as `WorkerPool.start` says, for one call."""
        self._end(keep_scratch=True)
        self._worker = self._pool.start(self._limits, self._seed, self._folder, package, watch)
        self._account.begin(self._worker)
        self._folder = self._worker.process.scratch
        try:
            yield self._worker
        finally:
            self._end(keep_scratch=True)

    def _ask(self, worker: Worker, request: Callable[..., Any], *args: Any) -> Any:
        """The answer to a request, counted if it was sent. Ends a worker that can give no more."""
        if worker is not self._worker:
            raise GraderFault("an iterator was used after its process had ended")
        last_id = worker.channel.call_id
        try:
            return request(*args)
        except SubmissionFailure as failure:
            try:
                _blame_disk(failure, worker)  # before its files go, which makes room
            finally:
                self._end(keep_scratch=True)  # `close` removes it
            raise
        except plain.NotPlainData as error:
            if self.requests:  # the test passes on an earlier answer
                raise SubmissionFailure(Cause.TOO_LARGE, f"cannot be sent back: {error}") from error
            raise GraderFault(f"a test passed what cannot be sent: {error}") from error
        except Exception as error:
            if worker.process.is_killed:  # a function of the test's, or a fault, has ended the call
                self._end(keep_scratch=True)
            if isinstance(error, FromSubmission):
                _blame_disk(error, worker)
            if isinstance(error, FromSubmission | AssertionError | KillProcess | GraderFault):
                raise
            what = str(error) or type(error).__name__
            raise GraderFault(f"a call could not be made: {what}") from error
        finally:
            self.requests += worker.channel.call_id - last_id

    def _seconds_left(self) -> float:
        return self._limits.seconds - self.charged

    def file_calls(self, target: str, /, *args: Any, **kwargs: Any) -> tuple[Any, list[Event]]:
        with self._worker_for_one_call(watch="syncs") as worker:
            result = self.call(target, *args, **kwargs)
        assert isinstance(worker.process.listener, FileCalls), "this was asked for"
        end = self._pool.zygote.names_in(worker.process.scratch)
        return result, events(worker.process.listener.calls, end)

    def peak_rss(self) -> int:
        if self._account.has_earlier_tests:  # one of them may have had the peak
            self.restart()
        with machine_errors_as_faults("the memory of a worker could not be read"):
            return self._running(fresh=True).peak_rss()

    @property
    def charged(self) -> float:
        """Seconds that the test's workers were charged: of CPU and of sleep."""
        return self._account.charged

    @property
    def output(self) -> str:
        """What the submission's code printed until now, up to a cap."""
        return self._account.output

    def close(self) -> None:
        """Ends the worker and removes its files, or keeps it for the next test of its group."""
        may_be_kept = self._group and "scratch" not in vars(self)  # or it may have left files there
        if may_be_kept and self._worker and not self._worker.process.is_killed:
            self._account.end()
            self._pool.keep(self._group, self._worker)
            self._worker = self._folder = None
        self._end()

    def _running(self, fresh: bool = False) -> Worker:
        """The test's worker; its first one is that of the group's last test, unless `fresh`."""
        if self._worker is None:
            if self._group and self._ended is None and self._folder is None and not fresh:
                self._worker = self._pool.take_kept(self._group, self._seed, self._account)
            if self._worker is None:
                self._worker = self._pool.start(self._limits, self._seed, self._folder)
                self._account.begin(self._worker)
            self._folder = self._worker.process.scratch
        return self._worker

    def _end(self, keep_scratch: bool = False) -> None:
        """Ends the worker, if there is one, and accounts for it; its folder is kept, or goes."""
        if self._worker is not None:
            try:
                self._worker.kill(keep_scratch)
            except GraderFault:
                raise
            except Exception as error:
                raise GraderFault(f"a worker could not be ended: {error!r}") from error
            self._account.end()
            self._ended, self._worker = self._worker, None
        elif self._folder is not None and not keep_scratch:
            self._pool.zygote.discard(self._folder.name)
        if not keep_scratch:
            self._folder = None


def _blame_disk(error: Exception, worker: Worker) -> None:
    """Raises GraderFault if the submission's code failed because the grader's disk is full."""
    died = isinstance(error, SubmissionFailure) and error.cause is Cause.DIED
    if (died or isinstance(error, OSError | RuntimeError)) and worker.is_disk_full():
        raise GraderFault(
            "the disk of the temporary folder is full, so the code may have failed of that: "
            f"{error}"
        ) from error


def _check_name(target: str) -> None:
    """Raises GraderFault for a scenario, a program or a reader that does not exist."""
    try:
        driver_of(target)
    except LookupError as error:
        raise GraderFault(f"a test asked for {target}: {error}") from error


def sandboxed(
    pool: WorkerPool, nonce: str, timing: TimingRunner | None = None, shared: bool = False
) -> TestContext:
    """The context of tests whose `impl` runs in workers of this pool.

    Each test has its own, or those of a group share one, one after the other.
    """

    @contextmanager
    def implementation(test: GradedTest) -> Iterator[GradedImplementation]:
        """Limits and charges what its workers take, and what the judge takes (`effort.py`)."""
        seconds = pool.budget.limit(test.group, test.limits.seconds)
        limits = msgspec.structs.replace(test.limits, seconds=seconds)
        group = test.group if shared else ""
        pool.end_kept(group)  # lives no longer than its exercise's turn
        made = GradedImplementation(pool, limits, seed_of(nonce, "worker", test.id), group)
        if test.visibility == "public":
            made.calls = KeptCalls(20)  # of which its message shows one
        effort = Effort()
        try:
            with nullcontext() if test.on_device else effort.bounded():
                yield made
        finally:
            made.close()
            charged = made.charged + effort.charged
            pool.budget.charge(test.group, charged, test.limits.seconds)

    return TestContext(nonce, pool.zygote.shared_folders, implementation, timing)
