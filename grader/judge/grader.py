"""Grades submissions: stage, run the tests, score. Its zygotes serve any number of them."""

from __future__ import annotations

import contextlib
import ctypes
import datetime
import functools
import gc
import secrets
import shutil
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from assignment import manifest as manifests
from grader.causes import Cause
from grader.faults import GraderFault
from grader.intake import stage
from grader.isolation import TIERS
from grader.judge.markers import load as load_checked
from grader.judge.provenance import CpuMeter, content_hash, provenance, verdicts_hash
from grader.machine import USUAL_LANES, cores
from grader.paths import REPOSITORY
from grader.races import device as devices
from grader.races.statistic import RULES, RaceRules
from grader.results.record import Check, Grade, Isolation, Visibility
from grader.supervisor.budget import ReferenceTimes, TimeBudget
from grader.supervisor.zygote import Zygote

if TYPE_CHECKING:  # torch and pytest load after the zygote has started, beside it
    from grader.judge.session import Session
    from grader.races.runner import TimingRunner

# A checkout's history and what was built in it hold the first three once more.
SECRETS = tuple(REPOSITORY / name for name in ("solutions", "tests", "grader", ".git", "build"))
Tests = Literal["all", "public", "hidden"]
_FOLDERS = {"all": ("public", "hidden"), "public": ("public",), "hidden": ("hidden",)}
Timing = Literal["auto", "require", "skip"]


class Grader:
    """A grader whose zygote is started. Use it as a context manager: leaving it ends every process.

    Args:
        tiers: from the strongest to the weakest that will do; the first that holds on this
            machine is taken. ("none",) runs submissions without isolation.
        repository: where `tests/public` and `tests/hidden` are.
        manifest: the assignment; if None the repository's, checked against its tests.
        lanes: how many tests run at a time; if None two where there are two cores, else one.
        solutions: the folder of the reference and of `naive`, which races are run against.
        budget: seconds that the tests of one grading may draw together beyond their exercises'
            shares; the manifest's if None.
        time_limit: seconds on the wall that one grading may take; the budget is made smaller to
            fit. No limit if None.
        race_rules: the numbers that decide a race, by kind of device.
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
        race_rules: Mapping[str, RaceRules] = RULES,
    ) -> None:
        self.race_rules = race_rules
        self.budget, self._time_limit = budget, time_limit
        self.manifest = manifest or load_checked(repository / "tests")
        self.repository, self.solutions = repository, solutions
        self._lanes = lanes or (USUAL_LANES if cores() >= USUAL_LANES else 1)
        memory = self._max_memory(on_device=False)
        self.zygote = Zygote(tiers, SECRETS, memory, lanes=max(self._lanes, USUAL_LANES))
        self._forks: list[Zygote] = []  # zygotes of the lanes but the first
        self._sessions: dict[object, Session] = {}  # by what they were collected from
        self._open_sessions = ExitStack()
        self._graded = 0  # submissions until now; numbers their folders
        self._cpu = CpuMeter()

    def __enter__(self) -> Grader:
        return self

    def __exit__(self, *_: object) -> None:
        self._disconnect_forks()
        self.zygote.close()
        self._open_sessions.close()

    def prepare(self) -> None:
        """Waits until workers can be had, as `Zygote.wait` does; loads what the tests need."""
        _load_libraries()
        self.zygote.wait()

    def session(self, folders: tuple[str, ...], only: Collection[str] = ()) -> Session:
        """The tests in some folders below `tests`, of some exercises if they are named.

        They are collected once.

        Raises:
            GraderFault: there are no such tests, or a file of them cannot be read.
        """
        _load_libraries()
        from grader.judge.race_fixtures import TimingPlugin
        from grader.judge.session import collected

        source = self.manifest, self.repository, folders, frozenset(only)
        if source not in self._sessions:
            session = collected(*source, [TimingPlugin()])
            self._sessions[source] = self._open_sessions.enter_context(session)
        return self._sessions[source]

    def grade(
        self,
        submission: Path | stage.Selected,
        *,
        tests: Tests = "all",
        only: Collection[str] = (),
        nonce: str | None = None,
        timing: Timing = "auto",
        further_seeds: bool = False,
        fresh: bool = False,
        on_check: Callable[[Check], None] = lambda _: None,
    ) -> Grade:
        """Grades one submission; every process that ran its code is gone when this returns.

        Args:
            submission: a folder, zip or tar, or what was read of one.
            tests: "public" runs the public tests alone, and shares the points among them; "hidden"
                leaves the public ones out, which carry no points then.
            only: exercises to run; all if empty.
            nonce: that of an earlier grading, to repeat it; drawn freshly if None.
            timing: of races, which run only if `tests` is "all": "skip" leaves them out; "require"
                refuses to grade where there is no CUDA device, "auto" leaves the exercises that
                need one out of the total.
            further_seeds: whether public tests run with further seeds after a hidden one failed.
            fresh: whether each test has workers of its own; else those of an exercise share one as
                long as none that carries points fails.
            on_check: called with each check as it comes: again if its test runs again.

        Raises:
            SubmissionError: the submission cannot be read.
            CannotIsolate: the machine does not offer the tier.
            GraderFault: the grader failed as a whole; faults of single tests are in the grade.
        """
        has_races = (self.repository / "tests/timing").is_dir()
        with_races = tests == "all" and timing != "skip" and has_races
        if with_races and timing == "require" and (missing := devices.why_none()):
            raise GraderFault(f"races are required, and no CUDA device can be used: {missing}")
        if isinstance(submission, Path):
            submission = stage.read(submission, self.manifest.package, self.manifest.modules)
        begun = time.monotonic()
        started = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        budget, nonce = self._new_budget(), nonce or secrets.token_hex(16)
        counted: Visibility = "public" if tests == "public" else "hidden"
        folders = (*_FOLDERS[tests], *(("timing",) if with_races else ()))
        content = content_hash(submission, self.manifest.package)
        with self._staged(submission) as staged:
            # Meanwhile the first zygote starts, on another core.
            session = self.session(folders, only)
            from grader.judge.run import SubmissionRun
            from grader.judge.verdict import score, total

            races = self._timing_runner(staged) if with_races else None
            try:
                run = SubmissionRun(
                    manifest=self.manifest,
                    session=session,
                    zygotes=self._zygotes(),
                    submission=staged,
                    budget=budget,
                    timing=races,
                    counted=counted,
                    only=only,
                    nonce=nonce,
                    further_seeds=further_seeds,
                    fresh=fresh,
                    on_check=on_check,
                )
                run.run()
            except BaseException:
                self._disconnect_forks()  # replies to their last requests may still be on the way
                raise
        faults = [
            f"{outcome.check.test}: {outcome.check.detail}"
            for outcome in run.outcomes
            if outcome.check.cause is Cause.GRADER_FAULT
        ] + run.faults
        checks, scores = score(self.manifest, run.outcomes, counted)
        points, max_points = total(scores)
        return Grade(
            submission=submission.name,
            score=None if faults else points,
            max_score=max_points,
            isolation=Isolation(tier=self.zygote.tier, probes=run.preflight.probes, fresh=fresh),
            nonce=nonce,
            tests=tests,
            checks=checks,
            exercises=scores,
            modules=tuple(run.preflight.reports_to_show(self.manifest, scores)),
            left_out=submission.left_out,
            faults=tuple(faults),
            started=started,
            seconds=round(time.monotonic() - begun, 3),
            version=self.manifest.version,
            budget=budget.record(),
            verdicts=verdicts_hash(checks, self.manifest),
            further=run.further,
            provenance=provenance(
                submission=content,
                handout=submission.handout,
                tier=self.zygote.tier,
                lanes=self._lanes,
                cpu_seconds=self._cpu_seconds(),
            ),
        )

    def _timing_runner(self, submission: Path) -> TimingRunner:
        from grader.races.runner import TimingRunner

        return TimingRunner(
            self.zygote,
            submission,
            self.manifest.package,
            self.solutions,
            self._max_memory(on_device=True),
            self.race_rules,
        )

    @contextmanager
    def _staged(self, submission: stage.Selected) -> Iterator[Path]:
        """Yields a new folder with a submission's package in it, and then removes the folder.

        Also gives back the memory of its grading.
        """
        self._graded += 1
        folder = self.zygote.submissions / str(self._graded)
        stage.write(submission, folder / self.manifest.package)
        try:
            yield folder
        finally:
            shutil.rmtree(folder)
            _release_memory()

    def _zygotes(self) -> list[Zygote]:
        """A zygote for each lane; forks those that are missing."""
        self.zygote.wait()
        while len(self._forks) + 1 < self._lanes:
            self._forks.append(self.zygote.fork(lane=len(self._forks) + 1))
        return [self.zygote, *self._forks][: self._lanes]

    def _disconnect_forks(self) -> None:
        for fork in self._forks:
            fork.disconnect()
        self._forks.clear()

    def _new_budget(self) -> TimeBudget:
        times = ReferenceTimes.read(self.repository / "tests" / "reference_times.toml")
        seconds = self.manifest.budget_seconds if self.budget is None else self.budget
        share = self.manifest.exercise_seconds
        return TimeBudget(seconds, times, self._time_limit, lanes=self._lanes, least_share=share)

    def _max_memory(self, on_device: bool) -> int:
        """The most MiB that any test may take, of exercises that need a device or of the others."""
        exercises = [e for e in self.manifest if bool(e.needs) == on_device]
        limits = [self.manifest.limits, *map(self.manifest.limits_of, exercises)]
        return max(limit.memory_mib for limit in limits)

    def _cpu_seconds(self) -> float | None:
        """CPU seconds since the last grading; None if a zygote is gone, which is a fault by now."""
        with contextlib.suppress(GraderFault):
            return self._cpu.lap([self.zygote, *self._forks])
        return None


def _release_memory() -> None:
    """Gives memory back: pytest leaves cycles, and glibc keeps the pages of large answers."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).malloc_trim(0)


@functools.cache  # once: it freezes what is there, also the garbage of earlier gradings
def _load_libraries() -> None:
    """Loads torch, as the zygote does on another core; adds the repository to `sys.path`."""
    from grader import preload, signals

    with signals.held_back():
        preload.load_torch()
    if str(REPOSITORY) not in sys.path:
        sys.path.insert(0, str(REPOSITORY))
