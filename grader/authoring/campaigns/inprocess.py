"""Runs hidden tests without the sandbox, for campaigns of many thousand runs.

One process collects the tests once. A batch (one submission, one nonce, some tests) then runs in a
forked copy of that process, which imports the submission and ends with its batch. So nothing that a
submission leaves in memory reaches another batch, and inputs are those of a grading with the nonce.

Only code that the staff wrote may run here: a batch has the rights of whoever starts it.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import math
import os
import resource
import selectors
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import msgspec
import pytest

from assignment.hooks import exercise_of, seed_of
from assignment.implementation import LocalImplementation, seed_everything
from assignment.manifest import Limits, Manifest
from grader import preload, signals
from grader.judge.failure import GraderFault, SubmissionFailure
from grader.judge.lanes import end_with_parent
from grader.judge.plugin import IMPLEMENTATION, Begun, JudgePlugin, name_of
from grader.judge.score import Outcome
from grader.judge.session import run_pytest
from grader.judge.time_budget import TimeBudget
from grader.results.causes import Cause
from grader.worker.calls import CheckedPackage

_ASLEEP = 60.0  # seconds of wall time after which a call is given up that uses no CPU time
_DETAIL = 2000  # characters of a failure's text, from its end
_DIED = "the process of this batch ended before the test did"


class CampaignError(Exception):
    """What was asked for is not there, or a list cannot be read; the message says what to do."""


@dataclass(frozen=True)
class Test:
    """A hidden test by the name that a grade's checks have, and its exercise."""

    name: str
    exercise: str


@dataclass(frozen=True)
class Batch:
    """Tests to run on one submission with one nonce.

    Args:
        label: what the submission is called in reports.
        submission: the folder that holds the package.
        nonce: what inputs are drawn from.
        tests: names of tests; they run in the manifest's order.
    """

    label: str
    submission: Path
    nonce: str
    tests: tuple[str, ...]


class InProcess:
    """The collected tests. `campaign` in `with_tests` gets it, and calls `run`."""

    def __init__(self, plugin: _Plugin, items: Sequence[pytest.Item]) -> None:
        self._plugin = plugin
        self._items = {name_of(item): item for item in items}
        if len(self._items) < len(items):
            raise GraderFault("two hidden tests have the same name; rename one")
        self.manifest = plugin.manifest
        self.tests = tuple(
            Test(name, exercise_of(item) or "") for name, item in self._items.items()
        )

    def run(
        self, batches: Iterable[Batch], jobs: int | None = None
    ) -> Iterator[tuple[Batch, list[Outcome]]]:
        """Runs batches, `jobs` at a time (as many as there are cores if None).

        Yields each batch with an outcome for every test, in the order in which batches end. A
        batch whose process ends early fails the test under way and those after it.
        """
        waiting = iter(batches)
        with selectors.DefaultSelector() as selector:
            running: dict[int, _Child] = {}
            try:
                while True:
                    signals.check()  # what was raised in a hook of a fork went nowhere
                    while len(running) < (jobs or os.cpu_count() or 1):
                        if (batch := next(waiting, None)) is None:
                            break
                        child = self._fork(batch)
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
                        yield child.batch, self._outcomes(child)
            finally:
                for child in running.values():
                    child.end()

    def _fork(self, batch: Batch) -> _Child:
        read, write = os.pipe()
        scratch = tempfile.mkdtemp(prefix="campaign-")
        items = [item for name, item in self._items.items() if name in set(batch.tests)]
        if len(items) < len(batch.tests):
            missing = ", ".join(set(batch.tests) - self._items.keys())
            raise GraderFault(f"no hidden test is called {missing}")
        pid = os.fork()
        if pid == 0:
            _run_and_exit(self._plugin, batch, items, write, scratch)
        os.close(write)
        return _Child(batch, items, pid, read, scratch)

    def _outcomes(self, child: _Child) -> list[Outcome]:
        lines = child.sent.split(b"\n")[:-1]  # what follows the last newline was cut off
        outcomes = [msgspec.json.decode(line, type=Outcome) for line in lines]
        unsaid = child.items[len(outcomes) :]
        return outcomes + [self._plugin.failed(item, Cause.DIED, _DIED) for item in unsaid]


def with_tests(
    manifest: Manifest,
    repository: Path,
    campaign: Callable[[InProcess], None],
    only: Sequence[str] = (),
) -> None:
    """Collects the hidden tests, of some exercises if they are named, and runs the campaign.

    Raises:
        GraderFault: a file of tests cannot be read.
        KeyboardInterrupt: Ctrl-C or a TERM ended the campaign; no process or folder of it is left.
    """
    preload.load_torch()
    plugin = _Plugin(manifest, repository, campaign, only)
    with signals.raised():
        run_pytest(repository, plugin, ("hidden",), "campaign")
    if plugin.interrupted:
        raise KeyboardInterrupt


@dataclass
class _Child:
    """A forked process that runs a batch, and what it has sent."""

    batch: Batch
    items: list[pytest.Item]
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


class _Plugin(JudgePlugin):
    """The judge's plugin with the submission in this process; runs the campaign as its tests."""

    def __init__(
        self,
        manifest: Manifest,
        repository: Path,
        campaign: Callable[[InProcess], None],
        only: Sequence[str],
    ) -> None:
        super().__init__(
            manifest,
            lambda: Begun([]),
            exchange=Path(tempfile.gettempdir()),
            nonce="campaign",
            only=only,
            public=repository / "tests" / "public",
            counted="hidden",
            budget=TimeBudget(math.inf),
            on_check=lambda _: None,
        )
        self._campaign = campaign
        self.interrupted = False
        self.submission = Path()  # of the batch, in its process

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed:  # a file of tests could not be read
            raise session.Interrupted(f"{session.testsfailed} errors during collection")
        gc.freeze()  # no later collection, in no fork, looks through what is there now
        try:
            self._campaign(InProcess(self, session.items))
        except KeyboardInterrupt:  # pytest would take it for the end of its own tests
            self.interrupted = True
        except Exception as error:
            self.error = error
        return True

    @contextmanager
    def provide(self, request: pytest.FixtureRequest) -> Iterator[_Imported]:
        """The `impl` of one test: the package of the batch, imported anew."""
        item = request.node
        limits = self.limits_of(item)
        implementation = _Imported(
            self.manifest.package,
            self.submission,
            limits.seconds,
            seed_of(self.nonce, "worker", item.nodeid),
        )
        item.stash[IMPLEMENTATION] = implementation
        with _memory_limit(limits):
            yield implementation

    def failed(self, item: pytest.Item, cause: Cause, detail: str) -> Outcome:
        """The outcome of a test that could say nothing itself."""
        self._record(item, cause, detail)
        return self.outcomes[item.nodeid]

    def run_one(self, item: pytest.Item, nonce: str) -> Outcome:
        """Runs a test of this process's batch and returns its outcome, with the detail's end."""
        self.nonce = item.config.option.nonce = nonce
        self._run_one(item)
        outcome = self.outcomes[item.nodeid]
        detail = (outcome.check.detail or "")[-_DETAIL:]
        check = msgspec.structs.replace(outcome.check, detail=detail or None)
        return Outcome(check, outcome.weight, outcome.function)


class _Imported(LocalImplementation):
    """The package as a worker has it: checked shapes, seeded, with a limit on its CPU time."""

    def __init__(self, package: str, submission: Path, seconds: float, seed: int) -> None:
        super().__init__(package, Path(tempfile.mkdtemp(prefix="scratch-")))
        self._name, self._submission, self._seed = package, submission, seed
        self._left = seconds
        self.answers, self.charged, self.output = 0, 0.0, ""
        _forget_peak_memory()
        self.restart()

    def call(self, target: str, /, *args: Any, **kwargs: Any) -> Any:
        try:
            with self._time_limit():
                return super().call(target, *args, **kwargs)
        except _OutOfTime:
            raise SubmissionFailure(Cause.TIMEOUT, f"{target} took too long") from None
        except Exception as error:
            with contextlib.suppress(Exception):  # a class of the submission's may refuse it
                error.from_submission = True  # type: ignore[attr-defined]
            raise
        finally:
            self.answers += 1

    def restart(self) -> None:
        """Imports the package anew at its next use: what its modules held is gone."""
        for name in list(sys.modules):
            if name == self._name or name.startswith(f"{self._name}."):
                del sys.modules[name]
        self._package = CheckedPackage(self._name, str(self._submission))
        seed_everything(self._seed)

    def kill_during(self, delay: float, target: str, /, *args: Any, **kwargs: Any) -> bool:
        """As in the grader: what comes after the kill runs in a process that is new."""
        killed = super().kill_during(delay, target, *args, **kwargs)
        self.restart()
        return killed

    @contextmanager
    def _time_limit(self) -> Iterator[None]:
        """Ends a call by its CPU time; one that only sleeps, by a long wall time."""
        for name in (signal.SIGPROF, signal.SIGALRM):
            signal.signal(name, _out_of_time)
        signal.setitimer(signal.ITIMER_REAL, _ASLEEP)
        signal.setitimer(signal.ITIMER_PROF, max(self._left, 1e-3))
        try:
            yield
        finally:
            self._left, _ = signal.setitimer(signal.ITIMER_PROF, 0)
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
    """Bounds memory above what this process holds, as `lockdown.limit_memory` does, for a while."""
    kind = resource.RLIMIT_AS if limits.address_space else resource.RLIMIT_DATA
    pages = Path("/proc/self/statm").read_text().split()
    held = int(pages[0 if limits.address_space else 5]) * resource.getpagesize()
    soft, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (held + limits.memory_mib * 2**20, hard))
    try:
        yield
    finally:
        resource.setrlimit(kind, (soft, hard))


def _run_and_exit(
    plugin: _Plugin, batch: Batch, items: Sequence[pytest.Item], pipe: int, scratch: str
) -> NoReturn:
    """A forked process's whole life: runs its batch and sends an outcome a line."""
    try:
        end_with_parent()
        for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(name, signal.SIG_DFL)
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):  # what a submission prints is nobody's business
            os.dup2(nothing, stream)
        tempfile.tempdir = scratch
        sys.path.insert(0, str(batch.submission))
        plugin.forget()
        plugin.submission = batch.submission
        for item in items:
            line = msgspec.json.encode(plugin.run_one(item, batch.nonce)) + b"\n"
            while line:
                line = line[os.write(pipe, line) :]
    finally:
        os._exit(0)
