"""Does a test ever fail on correct code? `grader author flakes`.

The hidden tests, or the public ones, run with random nonces on the reference and on the correct
solutions that are written differently. If one fails, the test is wrong (or, rarely, the reference).

Tests take from a millisecond to seconds, so not every test runs with every nonce. With the first
nonce all tests run and are timed. Of the other nonces each test gets a share, smaller for slow
tests, so that the campaign makes about the requested number of runs. The report gives the least
number of nonces that any test ran with.
"""

from __future__ import annotations

import itertools
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader.authoring.campaigns import inprocess
from grader.authoring.campaigns.inprocess import Assignment, Batch, CampaignError, InProcess
from grader.judge.verdict import Outcome
from grader.results.record import Check

_CHEAP = 0.02  # seconds: faster tests do not run more often than a test that takes this
_LEAST = 5  # nonces that even the slowest test runs with
Pair = tuple[str, str]  # a submission's label and a test's name


def correct(assignment: Assignment) -> dict[str, Path]:
    """The folders of correct solutions, by label."""
    others = {folder.name: folder for folder in assignment.alternatives}
    return {"the reference": assignment.solutions} | others


@dataclass(frozen=True)
class Failure:
    """A test that did not pass on correct code."""

    submission: str  # the label
    nonce: str
    check: Check

    @property
    def command(self) -> str:
        """The command that repeats it, on every correct solution."""
        public = " --public" if self.check.visibility == "public" else ""
        return f"grader author flakes{public} --nonce '{self.nonce}' --test '{self.check.test}'"


@dataclass
class Report:
    """What a campaign has found so far."""

    nonces: int = 0  # that are complete, in the order of their numbers
    runs: Counter[Pair] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)

    @property
    def spread(self) -> tuple[int, int]:
        """The fewest and the most runs of any test, on all submissions together."""
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
    exercises: Sequence[str] = (),
    tests: Sequence[str] = (),
    exact_nonces: Sequence[str] = (),
    public: bool = False,
    jobs: int | None = None,
    on_failure: Callable[[Failure], None] = lambda _: None,
    on_nonce: Callable[[Report], None] = lambda _: None,
) -> Report:
    """Runs tests on every correct solution under many nonces; nonce i is "seed-i".

    Args:
        nonces: the number of the last nonce.
        runs: about how many test runs to make in total.
        first: the number of the first nonce; above 1 it continues an earlier campaign.
        exercises, tests: ids, and names of tests (`test_floats::test_zeros`); all if empty.
        exact_nonces: nonces to run every chosen test with, instead of those of the seed.
        on_failure, on_nonce: called with each failure, and with the report of each further nonce.

    Raises:
        CampaignError: a test does not exist.
        GraderFault: the tests cannot be collected.
    """
    report = Report()
    folder = "public" if public else "hidden"

    with inprocess.collected_in_process(
        assignment.manifest, assignment.repository, exercises, (folder,)
    ) as collected:
        names = [test.name for test in collected.tests]
        if unknown := [name for name in tests if name not in names]:
            raise CampaignError(f"no {folder} test is called {', '.join(unknown)}")
        chosen = [name for name in names if not tests or name in tests]
        submissions = correct(assignment)
        pairs = list(itertools.product(submissions, chosen))
        runner = _Runner(submissions, collected, jobs, report, on_failure, on_nonce)
        if exact_nonces:
            runner.run((nonce, pairs) for nonce in dict.fromkeys(exact_nonces))
            return report
        runner.run([(f"{seed}-{first}", pairs)])
        shares = _shares(pairs, runner.seconds, runs, nonces)
        runner.run(
            (f"{seed}-{i}", [pair for pair in pairs if _is_due(pair, shares[pair], i)])
            for i in range(first + 1, nonces + 1)
        )
    return report


@dataclass
class _Runner:
    """Runs tests with one nonce after the other, and records the results in the report."""

    submissions: Mapping[str, Path]
    collected: InProcess
    jobs: int | None
    report: Report
    on_failure: Callable[[Failure], None]
    on_nonce: Callable[[Report], None]
    seconds: dict[Pair, float] = field(default_factory=dict)  # of each pair's first run
    unfinished: dict[str, int] = field(default_factory=dict)  # batches of each nonce, in order

    def run(self, rounds: Iterable[tuple[str, Sequence[Pair]]]) -> None:
        """Runs some rounds; each is a nonce and the pairs to run with it."""
        for batch, outcomes in self.collected.run(self._batches(rounds), self.jobs):
            for outcome in outcomes:
                self._record(batch, outcome)
            self.unfinished[batch.nonce] -= 1
            while self.unfinished and not self.unfinished[nonce := next(iter(self.unfinished))]:
                del self.unfinished[nonce]
                self.report.nonces += 1
                self.on_nonce(self.report)

    def _batches(self, rounds: Iterable[tuple[str, Sequence[Pair]]]) -> Iterator[Batch]:
        for nonce, pairs in rounds:
            by_submission: dict[str, list[str]] = {}
            for submission, test in pairs:
                by_submission.setdefault(submission, []).append(test)
            self.unfinished[nonce] = len(by_submission)
            for submission, tests in by_submission.items():
                yield Batch(submission, self.submissions[submission], nonce, tuple(tests))

    def _record(self, batch: Batch, outcome: Outcome) -> None:
        check = outcome.check
        pair = batch.label, check.test
        self.report.runs[pair] += 1
        self.seconds.setdefault(pair, check.seconds)
        if check.state != "passed":
            failure = Failure(batch.label, batch.nonce, check)
            self.report.failures.append(failure)
            self.on_failure(failure)


def _shares(
    pairs: Sequence[Pair], seconds: Mapping[Pair, float], runs: int, nonces: int
) -> dict[Pair, float]:
    """The share of the nonces that each pair runs with: equal for cheap tests, less for slow."""
    weights = {pair: _CHEAP / max(seconds[pair], _CHEAP) for pair in pairs}
    least = min(1.0, _LEAST / nonces)
    low, high = 0.0, 1.0 / min(weights.values())
    for _ in range(60):  # bisection: shares grow with the factor
        factor = (low + high) / 2
        shares = {p: min(1.0, max(least, factor * w)) for p, w in weights.items()}
        low, high = (factor, high) if sum(shares.values()) * nonces < runs else (low, factor)
    return shares


def _is_due(pair: Pair, share: float, nonce: int) -> bool:
    """Whether a pair runs with this nonce: evenly spread, with another first nonce for each."""
    phase = zlib.crc32("/".join(pair).encode()) / 2**32
    return int(phase + nonce * share) > int(phase + (nonce - 1) * share)
