"""Grades submissions: stage, start, test, score. One zygote serves as many as are asked for."""

from __future__ import annotations

import contextlib
import ctypes
import datetime
import functools
import gc
import os
import secrets
import shutil
import sys
import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal

from assignment import manifest as manifests
from grader import signals
from grader.isolation import TIERS
from grader.judge.failure import GraderFault
from grader.judge.lanes import cores
from grader.judge.markers import exercises_in
from grader.judge.markers import load as load_checked
from grader.judge.provenance import CpuMeter, content_hash, provenance, verdicts_hash
from grader.judge.stage import stage
from grader.judge.time_budget import ReferenceTimes, TimeBudget
from grader.judge.timing import device as devices
from grader.judge.zygote import Zygote
from grader.paths import REPOSITORY
from grader.results.causes import Cause
from grader.results.record import Check, Grade, Isolation, Visibility

if TYPE_CHECKING:  # torch and pytest load after the zygote has started, beside it
    from grader.judge.plugin import JudgePlugin
    from grader.judge.proxy import Workers

_HERE = Path(__file__).resolve().parent
SECRETS = tuple(REPOSITORY / name for name in ("solutions", "tests", "grader"))
Tests = Literal["all", "public", "hidden"]
_FOLDERS = {"all": ("public", "hidden"), "public": ("public",), "hidden": ("hidden",)}
Timing = Literal["auto", "require", "skip"]


def _ignore(_: Check) -> None:
    """For callers that do not follow the progress."""


class Judge:
    """A started judge. Use it as a context manager: leaving it ends every process it started.

    Args:
        tiers: from the strongest to the weakest that will do; the first that holds on this
            machine is taken. ("none",) runs submissions without isolation.
        repository: where `tests/public` and `tests/hidden` are.
        manifest: the assignment's, checked against its tests, if None.
        lanes: 1 or 2 tests at a time; as many as there are cores, if None.
        budget: seconds that tests of one grading which hit their limit may draw together; the
            manifest's if None.
        time_limit: seconds on the wall that one grading may take; the budget is made smaller to
            fit. No limit if None.
        solutions: the folder of the reference and of `naive`, which races are run against.
    """

    def __init__(
        self,
        tiers: Sequence[str] = TIERS,
        repository: Path = REPOSITORY,
        manifest: manifests.Manifest | None = None,
        lanes: int | None = None,
        solutions: Path = REPOSITORY / "solutions",
        budget: float | None = None,
        time_limit: float | None = None,
    ) -> None:
        self.budget, self._time_limit = budget, time_limit
        self.manifest = manifest or load_checked(repository / "tests")
        self.repository, self.solutions = repository, solutions
        self.zygote = Zygote(tiers, SECRETS, self._most_memory(on_device=False))
        self._two_lanes = (lanes or cores()) >= 2
        self._twin: Zygote | None = None
        self._graded = 0
        self._cpu = CpuMeter()

    def __enter__(self) -> Judge:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._twin is not None:
            self._twin.let_go()
        self.zygote.close()

    def grade(
        self,
        submission: Path,
        *,
        tests: Tests = "all",
        only: Collection[str] = (),
        nonce: str | None = None,
        timing: Timing = "auto",
        on_check: Callable[[Check], None] = _ignore,
    ) -> Grade:
        """Grades one submission; every process that ran its code is gone when this returns.

        Args:
            submission: a folder, zip or tar.
            tests: "public" runs the public tests alone, and shares the points among them; "hidden"
                leaves the public ones out, which carry no points then.
            only: exercises to run; every one if empty.
            nonce: that of an earlier grading, to repeat it; drawn freshly if None.
            timing: "skip" leaves races out; "require" refuses to grade where there is no CUDA
                device, "auto" leaves the exercises that need one out of the total.
            on_check: called with each check as it comes.

        Raises:
            stage.SubmissionError: the submission cannot be read.
            CannotIsolate: the machine does not offer the tier.
            GraderFault: the grader failed as a whole; single faults stand in the grade.
        """
        raced = tests == "all" and timing != "skip" and (self.repository / "tests/timing").is_dir()
        if raced and timing == "require" and devices.find() is None:
            raise GraderFault("races are required, and this machine shows no CUDA device")
        begun = time.monotonic()
        budget = self._time_budget()
        started = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        nonce = nonce or secrets.token_hex(16)
        self._graded += 1
        staged = stage(
            submission,
            self.zygote.folder / "submissions" / str(self._graded),
            self.manifest.package,
            self.manifest.modules,
        )
        content = content_hash(staged.folder)
        _load_heavy()
        from grader.judge.plugin import Begun, JudgePlugin
        from grader.judge.proxy import Workers
        from grader.judge.score import score, total
        from grader.judge.survey import Survey, compile_ahead, survey
        from grader.judge.timing.track import Track

        package = self.manifest.package
        workers = Workers(self.zygote, staged.folder, package, budget=budget)
        found = Survey()

        def begin() -> Begun:
            """After the tests are collected: until then the zygote starts, on another core."""
            nonlocal found
            self.zygote.wait()
            lanes = [workers]
            if self._two_lanes:
                self._twin = self._twin or self.zygote.twin()
                lanes.append(Workers(self._twin, staged.folder, package, budget=budget))
            compile_ahead(workers, self.manifest)
            found = survey(workers, self.manifest, only, nonce)
            return Begun(lanes, found.broken, track, found.not_started)

        counted: Visibility = "public" if tests == "public" else "hidden"
        folders = _FOLDERS[tests]
        track = None
        if raced:
            folders = (*folders, "timing")
            memory = self._most_memory(on_device=True)
            track = Track(self.zygote, staged.folder, package, self.solutions, memory)
        judge = JudgePlugin(
            self.manifest,
            begin,
            exchange=self.zygote.exchange,
            nonce=nonce,
            only=frozenset(only),
            public=self.repository / "tests" / "public",
            counted=counted,
            budget=budget,
            on_check=on_check,
        )
        try:
            self.run_pytest(judge, folders, nonce, only)
        except BaseException:
            if self._twin is not None:  # what it was last asked for may still be on its way
                self._twin.let_go()
                self._twin = None
            raise
        finally:
            unended = self._end(workers)
            if track is not None:
                track.close()
            shutil.rmtree(staged.folder)
            _release()
        faults = [
            f"{outcome.check.test}: {outcome.check.detail}"
            for outcome in judge.outcomes.values()
            if outcome.check.cause is Cause.GRADER_FAULT
        ] + [*judge.collection_errors, *unended]
        checks, scores = score(self.manifest, list(judge.outcomes.values()), counted)
        points, most = total(scores)
        return Grade(
            submission=submission.name or str(submission),
            score=None if faults else round(points, 6),
            max_score=most,
            isolation=Isolation(tier=self.zygote.tier, probes=found.probes),
            nonce=nonce,
            tests=tests,
            checks=checks,
            exercises=scores,
            modules=tuple(found.needed(self.manifest, scores)),
            left_out=staged.left_out,
            faults=tuple(faults),
            started=started,
            seconds=round(time.monotonic() - begun, 3),
            version=self.manifest.version,
            budget=budget.record(),
            verdicts=verdicts_hash(checks, self.manifest),
            provenance=provenance(
                submission=content,
                handout=staged.handout,
                tier=self.zygote.tier,
                lanes=2 if self._two_lanes else 1,
                cpu_seconds=self._cpu_seconds(),
            ),
        )

    def _time_budget(self) -> TimeBudget:
        """The budget of one grading."""
        times = ReferenceTimes.read(self.repository / "tests" / "reference_times.toml")
        seconds = self.manifest.budget_seconds if self.budget is None else self.budget
        return TimeBudget(seconds, times, self._time_limit)

    def _most_memory(self, on_device: bool) -> int:
        """MiB that a test may take at most, of exercises that need a device or of the others."""
        exercises = [e for e in self.manifest if bool(e.needs) == on_device]
        limits = [self.manifest.limits, *map(self.manifest.limits_of, exercises)]
        return max(limit.memory_mib for limit in limits)

    def _end(self, workers: Workers) -> list[str]:
        """Ends all that ran the submission; a fault if that cannot be told."""
        try:
            workers.close()
            self.zygote.settle()
        except GraderFault as fault:
            return [str(fault)]
        return []

    def _cpu_seconds(self) -> float | None:
        """CPU seconds since the last grading; None if a zygote is gone, which is a fault by now."""
        zygotes = [self.zygote, *([self._twin] if self._twin is not None else [])]
        with contextlib.suppress(GraderFault):
            return self._cpu.lap(zygotes)
        return None

    def prepare(self) -> None:
        """Waits until workers can be had, and loads what the tests need meanwhile.

        Raises:
            CannotIsolate: the machine does not offer the tier.
            GraderFault: the zygote did not start.
        """
        _load_heavy()
        self.zygote.wait()

    def run_pytest(
        self, judge: JudgePlugin, folders: Collection[str], nonce: str, only: Collection[str] = ()
    ) -> None:
        """Runs pytest on this judge's tests; see `run_pytest`."""
        run_pytest(self.repository, judge, folders, nonce, only)


def run_pytest(
    repository: Path,
    judge: JudgePlugin,
    folders: Collection[str],
    nonce: str,
    only: Collection[str] = (),
) -> None:
    """Runs pytest with `judge` as its plugin, on some of the folders "public" and "hidden".

    Where some exercises `only` are run, files that name none of them are not even read.

    Raises:
        CannotIsolate: the machine does not offer the tier.
        GraderFault: it did not come to an end, or a file of tests cannot be read.
    """
    import pytest

    # Only what the judge names is loaded, whatever plugins are installed beside it.
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    status = pytest.main(
        [
            *("-c", str(_HERE / "judge.ini"), "--rootdir", str(repository / "tests")),
            # Our own report tells what failed; pytest's would parse whole files to quote lines.
            *("--nonce", nonce, "--capture=no", "--tb=native"),
            *(path for folder in folders for path in _paths(repository, folder, only)),
        ],
        plugins=[judge],
    )
    signals.check()
    if judge.error is not None:
        raise judge.error
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        errors = "\n".join(judge.collection_errors)
        raise GraderFault(f"the tests could not be run (pytest: {status!r})\n{errors}")


def _paths(repository: Path, folder: str, only: Collection[str]) -> list[str]:
    where = repository / "tests" / folder
    if not only:
        return [str(where)]
    files = sorted(where.glob("test_*.py"))
    return [str(file) for file in files if exercises_in(file).keys() & set(only)]


def _release() -> None:
    """Gives back what a grading took: pytest leaves cycles, glibc keeps the room of a large answer,
    and a class is many gradings."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).malloc_trim(0)


@functools.cache  # frozen a second time, what an earlier grading left would stay for good
def _load_heavy() -> None:
    """Loads what the tests will need while the zygote does the same, on another core."""
    from grader import preload

    preload.load_torch()
    if str(REPOSITORY) not in sys.path:
        sys.path.insert(0, str(REPOSITORY))
    gc.freeze()  # torch stays: no later collection needs to look through it
