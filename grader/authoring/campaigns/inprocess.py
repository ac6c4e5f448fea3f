"""Runs hidden tests without the sandbox, for campaigns of many thousand runs.

One process collects the tests once. A batch (one submission, one nonce, some tests) then runs in a
forked copy of that process, which imports the submission and ends with its batch. So nothing that a
submission leaves in memory reaches another batch, and inputs are those of a grading with the nonce.

Only code that the staff wrote may run here: a batch has the rights of the user who starts it.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import resource
import selectors
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import msgspec

from assignment import manifest as manifests
from assignment.calls.callbacks import LocalStandIns
from assignment.calls.implementation import LocalImplementation
from assignment.hooks import seed_of
from assignment.manifest import Limits, Manifest
from grader import preload, signals
from grader.authoring import variants
from grader.causes import Cause
from grader.faults import GraderFault, SubmissionFailure, raised_by_submission
from grader.judge.session import Session, TestContext, collected
from grader.judge.shown import KeptCalls
from grader.judge.verdict import GradedTest, Outcome, new_outcome
from grader.machine import end_with_parent
from grader.paths import REPOSITORY
from grader.worker.calls import CheckedPackage, begin_next_test
from grader.worker.failures import describe

_WALL_LIMIT = 60.0  # seconds after which a call is given up that uses no CPU time
_DETAIL = 2000  # characters of a failure's text, from its end
_DIED = "the process of this batch ended before the test did"


class CampaignError(Exception):
    """A test, submission or list is missing or invalid; the message says what to do."""


@dataclass(frozen=True)
class Assignment:
    """The files of a campaign; `solutions` and each alternative hold the package."""

    repository: Path = REPOSITORY
    solutions: Path = variants.SOLUTIONS
    wrong: Path = variants.WRONG
    manifest: Manifest = field(default_factory=lambda: manifests.load().for_any_machine)
    alternatives: Sequence[Path] = field(default_factory=variants.alternatives)

    @property
    def reference(self) -> Path:
        return self.solutions / self.manifest.package


@dataclass(frozen=True)
class Batch:
    """Tests to run on one submission with one nonce; they run in the manifest's order."""

    label: str  # of the submission, in reports
    submission: Path  # the folder that holds the package
    nonce: str
    tests: tuple[str, ...]


class InProcess:
    """The collected tests, to run in forks of this process."""

    def __init__(self, manifest: Manifest, session: Session) -> None:
        self.manifest, self._session = manifest, session
        self.impl_class: type[Imported] = Imported  # of the tests' `impl`
        self.tests = session.tests
        self._by_name = {test.name: test for test in self.tests}
        if len(self._by_name) < len(self.tests):
            raise GraderFault("two hidden tests have the same name; rename one")

    def run(
        self, batches: Iterable[Batch], jobs: int | None = None
    ) -> Iterator[tuple[Batch, list[Outcome]]]:
        """Runs batches, `jobs` at a time (as many as there are cores if None).

        Yields each batch with an outcome for every test, in the order in which batches end. If the
        process of a batch ends early, the test under way and those after it fail.
        """
        waiting = iter(batches)
        # One folder for all, so that a signal just after a batch has made its own leaves none.
        with (
            tempfile.TemporaryDirectory(prefix="campaign-") as place,
            selectors.DefaultSelector() as selector,
        ):
            running: dict[int, _Child] = {}
            try:
                while True:
                    signals.raise_if_stopped()  # an exception in a hook of a fork would be lost
                    while len(running) < (jobs or os.cpu_count() or 1):
                        if (batch := next(waiting, None)) is None:
                            break
                        child = self._fork(batch, place)
                        running[child.pipe] = child
                        selector.register(child.pipe, selectors.EVENT_READ)
                    if not running:
                        return
                    for key, _ in selector.select():
                        child = running[key.fd]
                        if data := os.read(key.fd, 1 << 16):
                            child.sent += data
                            continue
                        selector.unregister(key.fd)
                        child.end()
                        del running[key.fd]
                        yield child.batch, child.outcomes()
            finally:
                for child in running.values():
                    child.end()

    def _fork(self, batch: Batch, place: str) -> _Child:
        wanted = set(batch.tests)
        tests = [test for name, test in self._by_name.items() if name in wanted]
        if len(tests) < len(batch.tests):
            missing = ", ".join(wanted - self._by_name.keys())
            raise GraderFault(f"no hidden test is called {missing}")
        read, write = os.pipe()
        scratch = tempfile.mkdtemp(dir=place)
        pid = os.fork()
        if pid == 0:
            self._run_and_exit(batch, tests, write, scratch)
        os.close(write)
        return _Child(batch, tests, pid, read, scratch)

    def _run_and_exit(
        self, batch: Batch, tests: Sequence[GradedTest], pipe: int, scratch: str
    ) -> NoReturn:
        """The life of a forked process: runs its batch and sends one line for each outcome."""

        @contextmanager
        def imported(test: GradedTest) -> Iterator[Imported]:
            seed = seed_of(batch.nonce, "worker", test.id)
            with _memory_limit(test.limits):
                limit = test.limits.seconds
                yield self.impl_class(self.manifest.package, batch.submission, limit, seed)

        try:
            end_with_parent()
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)
            nothing = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):  # what a submission prints is not kept
                os.dup2(nothing, stream)
            tempfile.tempdir = scratch
            sys.path.insert(0, str(batch.submission))
            context = TestContext(batch.nonce, Path(scratch), imported)
            for test in tests:
                line = msgspec.json.encode(_shortened(self._session.run(test, context))) + b"\n"
                while line:
                    line = line[os.write(pipe, line) :]
        finally:
            os._exit(0)


@contextmanager
def collected_in_process(
    manifest: Manifest,
    repository: Path,
    exercises: Sequence[str] = (),
    folders: Sequence[str] = ("hidden",),
) -> Iterator[InProcess]:
    """Collects the tests of some folders and exercises; of all exercises if none is named.

    Raises:
        GraderFault: a file of tests cannot be read.
        KeyboardInterrupt: Ctrl-C or a TERM ended the campaign; no process or folder of it is left.
    """
    preload.load_torch()
    with signals.stop_on_signals(), collected(manifest, repository, folders, exercises) as session:
        gc.freeze()  # no later collection, in this process or a fork, visits what exists now
        yield InProcess(manifest, session)


@dataclass
class _Child:
    """A forked process that runs a batch, and what it has sent."""

    batch: Batch
    tests: list[GradedTest]
    pid: int
    pipe: int
    scratch: str
    sent: bytes = field(default=b"", repr=False)

    def end(self) -> None:
        """Ends the process, if it has not ended, and removes what it left."""
        os.close(self.pipe)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        shutil.rmtree(self.scratch, ignore_errors=True)

    def outcomes(self) -> list[Outcome]:
        """An outcome for each test; a test that sent none counts as died."""
        lines = self.sent.split(b"\n")[:-1]  # what follows the last newline was cut off
        outcomes = [msgspec.json.decode(line, type=Outcome) for line in lines]
        without = self.tests[len(outcomes) :]
        return outcomes + [new_outcome(test, Cause.DIED, _DIED) for test in without]


class Imported(LocalImplementation):
    """The package as a worker has it: checked shapes, seeded, with a limit on its CPU time."""

    def __init__(self, package: str, submission: Path, seconds: float, seed: int) -> None:
        super().__init__(package, Path(tempfile.mkdtemp(prefix="scratch-")))
        self._name, self._submission, self._seed = package, submission, seed
        self._cpu_left = seconds  # of all calls together
        self.requests, self.charged, self.output = 0, 0.0, ""
        self.calls = KeptCalls(0)
        _forget_peak_memory()
        self.restart()

    def _run(self, stand_ins: LocalStandIns, code: Callable[[], Any]) -> Any:
        try:
            with self._time_limit():
                return super()._run(stand_ins, code)
        except _OutOfTime:
            raise SubmissionFailure(Cause.TIMEOUT, "it took too long") from None
        except Exception as error:
            if error is stand_ins.verdict:
                raise
            found = describe("exception", error, f"{self._submission}/")
            raise raised_by_submission(found["exception"], found["message"]) from error
        finally:
            self.requests += 1

    def restart(self) -> None:
        """Imports the package anew at its next use: what its modules held is gone."""
        package = CheckedPackage(self._name, str(self._submission))
        self._package = begin_next_test(package, self._seed)

    def peak_rss(self) -> int:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

    def kill_during(self, target: str, /, *args: Any, **kwargs: Any) -> bool:
        """As in the grader, where calls after the kill run in a new process."""
        killed = super().kill_during(target, *args, **kwargs)
        self.restart()
        return killed

    @contextmanager
    def _time_limit(self) -> Iterator[None]:
        """Limits a call's CPU time; and its wall time, in case it only sleeps."""
        for number in (signal.SIGPROF, signal.SIGALRM):
            signal.signal(number, _out_of_time)
        signal.setitimer(signal.ITIMER_REAL, _WALL_LIMIT)
        signal.setitimer(signal.ITIMER_PROF, max(self._cpu_left, 1e-3))
        try:
            yield
        finally:
            self._cpu_left, _ = signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)


class _OutOfTime(BaseException):
    """Ends a call; no `except Exception` of a submission's catches it."""


def _out_of_time(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise _OutOfTime


def _forget_peak_memory() -> None:
    """Lets `peak_rss` start from what this process holds now: earlier tests may have held more."""
    with contextlib.suppress(OSError, AttributeError):  # another C library, or no /proc
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")


@contextmanager
def _memory_limit(limits: Limits) -> Iterator[None]:
    """Within the context, bounds what is allocated beyond what this process holds already."""
    kind = resource.RLIMIT_AS if limits.address_space else resource.RLIMIT_DATA
    pages = Path("/proc/self/statm").read_text().split()
    held = int(pages[0 if limits.address_space else 5]) * resource.getpagesize()
    soft, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (held + limits.memory_mib * 2**20, hard))
    try:
        yield
    finally:
        resource.setrlimit(kind, (soft, hard))


def _shortened(outcome: Outcome) -> Outcome:
    """The outcome with only the end of its detail."""
    detail = (outcome.check.detail or "")[-_DETAIL:] or None
    return replace(outcome, check=msgspec.structs.replace(outcome.check, detail=detail))
