"""Is right code ever refused? `grader flakes`.

Hidden tests run on the reference and on the correct solutions that are written differently, with
random nonces. All of them pass, or a test is wrong (or, rarely, the reference).

Tests take from a millisecond to seconds, so not every one runs with every nonce. The first nonce
runs everything and measures; of the others each test gets a share that falls with its cost, so
that the campaign makes about as many runs as it was asked for. The report says how many nonces each
test saw at least.
"""

from __future__ import annotations

import itertools
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assignment import manifest as manifests
from assignment.manifest import Manifest
from grader.authoring import variants
from grader.authoring.campaigns import inprocess
from grader.authoring.campaigns.inprocess import Batch, CampaignError, InProcess
from grader.judge.score import Outcome
from grader.paths import REPOSITORY

_CHEAP = 0.02  # seconds: a test that takes less is not run any more often
_LEAST = 5  # nonces that even the slowest test sees
Pair = tuple[str, str]  # a submission's label and a test's name


@dataclass(frozen=True)
class Assignment:
    """Where everything is that a campaign needs: `correct` are folders of the package, by label."""

    repository: Path = REPOSITORY
    manifest: Manifest = field(default_factory=lambda: manifests.load().without_devices)
    correct: Mapping[str, Path] = field(
        default_factory=lambda: {
            "the reference": variants.SOLUTIONS,
            **{folder.name: folder for folder in variants.alternatives()},
        }
    )


def ours() -> Assignment:
    """This repository's own."""
    return Assignment()


@dataclass(frozen=True)
class Failure:
    """A test that did not pass on right code."""

    submission: str
    nonce: str
    test: str
    cause: str
    detail: str

    @property
    def command(self) -> str:
        """What repeats it, on every correct solution."""
        return f"grader flakes --nonce '{self.nonce}' --test '{self.test}'"


@dataclass
class Report:
    """What a campaign found until now.

    Args:
        nonces: how many have been run, in the order of their numbers.
        runs: how often each test ran on each submission.
        failures: what did not pass.
    """

    nonces: int = 0
    runs: Counter[Pair] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)

    @property
    def total(self) -> int:
        """Test runs, of all submissions together."""
        return self.runs.total()

    @property
    def spread(self) -> tuple[int, int]:
        """The fewest and the most nonces that a test has seen, over all submissions together."""
        seen: Counter[str] = Counter()
        for (_, test), times in self.runs.items():
            seen[test] += times
        return (min(seen.values()), max(seen.values())) if seen else (0, 0)


def run(
    assignment: Assignment,
    *,
    seed: str,
    nonces: int = 1000,
    runs: int = 100_000,
    first: int = 1,
    tests: Sequence[str] = (),
    exactly: Sequence[str] = (),
    jobs: int | None = None,
    on_failure: Callable[[Failure], None] = lambda _: None,
    on_nonce: Callable[[Report], None] = lambda _: None,
) -> Report:
    """Runs hidden tests on every correct solution under many nonces.

    Args:
        assignment: where everything is.
        seed: what nonces are made of: nonce i is "seed-i".
        nonces: the number of the last one.
        runs: how many test runs to make with about so many nonces.
        first: the number of the first nonce, to go on where a campaign was interrupted.
        tests: names of tests (`test_floats::test_zeros`); all if empty.
        exactly: nonces to run every chosen test with, in the place of all of that.
        jobs: processes at a time; as many as there are cores if None.
        on_failure: called with each failure as it comes.
        on_nonce: called each time another nonce has been run whole.

    Raises:
        CampaignError: no such test.
        GraderFault: the tests cannot be collected.
    """
    report = Report()

    def campaign(collected: InProcess) -> None:
        names = [test.name for test in collected.tests]
        if unknown := [name for name in tests if name not in names]:
            raise CampaignError(f"no hidden test is called {', '.join(unknown)}")
        chosen = [name for name in names if not tests or name in tests]
        pairs = list(itertools.product(assignment.correct, chosen))
        course = _Course(assignment, collected, jobs, report, on_failure, on_nonce)
        if exactly:
            course.follow((nonce, pairs) for nonce in exactly)
            return
        course.follow([(f"{seed}-{first}", pairs)])
        shares = _shares(pairs, course.seconds, runs, nonces)
        course.follow(
            (f"{seed}-{i}", [pair for pair in pairs if _is_due(pair, shares[pair], i)])
            for i in range(first + 1, nonces + 1)
        )

    inprocess.with_tests(assignment.manifest, assignment.repository, campaign)
    return report


@dataclass
class _Course:
    """Runs what is due with one nonce after the other, and notes in the report what comes of it."""

    assignment: Assignment
    collected: InProcess
    jobs: int | None
    report: Report
    on_failure: Callable[[Failure], None]
    on_nonce: Callable[[Report], None]
    seconds: dict[Pair, float] = field(default_factory=dict)  # that each pair took at first
    under_way: dict[str, int] = field(default_factory=dict)  # batches of each nonce, in order

    def follow(self, rounds: Iterable[tuple[str, Sequence[Pair]]]) -> None:
        """Each round is a nonce and what is due with it."""
        for batch, outcomes in self.collected.run(self._batches(rounds), self.jobs):
            for outcome in outcomes:
                self._note(batch, outcome)
            self.under_way[batch.nonce] -= 1
            while self.under_way and not self.under_way[nonce := next(iter(self.under_way))]:
                del self.under_way[nonce]
                self.report.nonces += 1
                self.on_nonce(self.report)

    def _batches(self, rounds: Iterable[tuple[str, Sequence[Pair]]]) -> Iterator[Batch]:
        for nonce, due in rounds:
            by_submission: dict[str, list[str]] = {}
            for submission, test in due:
                by_submission.setdefault(submission, []).append(test)
            self.under_way[nonce] = len(by_submission)
            for submission, tests in by_submission.items():
                yield Batch(submission, self.assignment.correct[submission], nonce, tuple(tests))

    def _note(self, batch: Batch, outcome: Outcome) -> None:
        check = outcome.check
        pair = batch.label, check.test
        self.report.runs[pair] += 1
        self.seconds.setdefault(pair, check.seconds)
        if check.state != "passed":
            failure = Failure(
                batch.label, batch.nonce, check.test, str(check.cause), check.detail or ""
            )
            self.report.failures.append(failure)
            self.on_failure(failure)


def _shares(
    pairs: Sequence[Pair], seconds: Mapping[Pair, float], runs: int, nonces: int
) -> dict[Pair, float]:
    """The share of the nonces that each pair runs with: all cheap ones alike, others by cost."""
    weights = {pair: _CHEAP / max(seconds[pair], _CHEAP) for pair in pairs}
    least = min(1.0, _LEAST / nonces)
    low, high = 0.0, 1.0 / min(weights.values())
    for _ in range(60):  # bisection: shares grow with the factor
        factor = (low + high) / 2
        shares = {p: min(1.0, max(least, factor * w)) for p, w in weights.items()}
        low, high = (factor, high) if sum(shares.values()) * nonces < runs else (low, factor)
    return shares


def _is_due(pair: Pair, share: float, nonce: int) -> bool:
    """Whether a pair runs with this nonce: evenly spread, each pair beginning somewhere else."""
    phase = zlib.crc32("/".join(pair).encode()) / 2**32
    return int(phase + nonce * share) > int(phase + (nonce - 1) * share)
