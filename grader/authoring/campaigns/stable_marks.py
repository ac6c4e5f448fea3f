"""Does wrong code get the same marks with every draw of inputs? `grader author stable-marks`.

Each file of `solutions/wrong/` runs with several nonces, on the tests of the exercise that it names
and of those that build on it. A hidden test checks one rule, so a mistake should fail it in every
draw or in none, and the marks should be equal. Correct solutions that are written differently run
on every test; they must lose nothing in any draw.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader.authoring import variants
from grader.authoring.campaigns import inprocess
from grader.authoring.campaigns.inprocess import Assignment, Batch, CampaignError, InProcess
from grader.authoring.variants import Wrong
from grader.judge.verdict import Outcome, score


@dataclass(frozen=True)
class Draw:
    """The result with one nonce: points by exercise, and states by test."""

    nonce: str
    points: dict[str, float]
    states: dict[str, str]


@dataclass(frozen=True)
class Finding:
    """The results of one submission in every draw."""

    name: str
    exercise: str | None  # which must lose points in every draw; None if none may be lost
    most: dict[str, float]  # the full points of each exercise
    draws: tuple[Draw, ...]

    @property
    def constant(self) -> bool:
        """Whether each exercise got the same points in every draw."""
        return all(draw.points == self.draws[0].points for draw in self.draws)

    @property
    def mismarked(self) -> list[str]:
        """The nonces with which a mistake lost no points, or correct code lost some."""
        if self.exercise is None:
            return [draw.nonce for draw in self.draws if draw.points != self.most]
        full = self.most[self.exercise]
        return [draw.nonce for draw in self.draws if draw.points[self.exercise] >= full]

    @property
    def changing(self) -> dict[str, list[str]]:
        """The tests whose state changes, with the nonces with which they did not pass."""
        return {
            test: [draw.nonce for draw in self.draws if draw.states[test] != "passed"]
            for test in self.draws[0].states
            if len({draw.states[test] for draw in self.draws}) > 1
        }


@dataclass
class Report:
    """The result of a campaign."""

    findings: list[Finding] = field(default_factory=list)

    @property
    def changing(self) -> list[Finding]:
        """Submissions whose marks depend on the draw, by name."""
        changing = [finding for finding in self.findings if not finding.constant]
        return sorted(changing, key=lambda finding: finding.name)

    @property
    def holds(self) -> bool:
        """Whether every submission is as required."""
        return not (self.changing or any(finding.mismarked for finding in self.findings))


def run(
    assignment: Assignment,
    names: Sequence[str] = (),
    *,
    nonces: int = 10,
    seed: str,
    jobs: int | None = None,
) -> Iterator[Finding]:
    """Grades wrong and correct submissions several times, with other random inputs each time.

    Args:
        names: wrong files without their suffix, and folders of alternatives; all if empty.
        nonces: the number of draws for each submission; the same seed gives the same draws.

    Raises:
        CampaignError: a submission does not exist.
        GraderFault: the tests cannot be collected.
    """
    wrong = variants.all_wrong(assignment.manifest, assignment.wrong, hidden=True)
    known = [*(w.path.stem for w in wrong), *(folder.name for folder in assignment.alternatives)]
    if unknown := [name for name in names if name not in known]:
        raise CampaignError(f"neither a wrong submission nor an alternative: {', '.join(unknown)}")
    drawn = [f"{seed} {i}" for i in range(nonces)]
    chosen = [w for w in wrong if not names or w.path.stem in names]
    correct = [folder for folder in assignment.alternatives if not names or folder.name in names]

    with (
        inprocess.collected_in_process(assignment.manifest, assignment.repository) as tests,
        tempfile.TemporaryDirectory(prefix="draws-") as text,
    ):
        subjects = _subjects(assignment, tests, chosen, correct, drawn, Path(text))
        yield from _findings(tests, subjects, jobs)


@dataclass(frozen=True)
class _Subject:
    """A submission that is being run: a batch for each nonce, and the results so far."""

    name: str
    exercise: str | None
    batches: list[Batch]
    results: dict[str, list[Outcome]] = field(default_factory=dict)


def _subjects(
    assignment: Assignment,
    tests: InProcess,
    wrong: Sequence[Wrong],
    correct: Sequence[Path],
    nonces: Sequence[str],
    folder: Path,
) -> Iterator[_Subject]:
    """The wrong submissions, each written into `folder` when needed; then the correct ones."""
    for submission in wrong:
        affected = set(variants.dependents(submission.exercise, assignment.manifest))
        chosen = tuple(test.name for test in tests.tests if test.exercise.id in affected)
        name = submission.path.stem
        written = submission.write(folder / name, assignment.reference)
        batches = [Batch(name, written, nonce, chosen) for nonce in nonces]
        yield _Subject(name, submission.exercise.id, batches)
    everything = tuple(test.name for test in tests.tests)
    for right in correct:
        batches = [Batch(right.name, right, nonce, everything) for nonce in nonces]
        yield _Subject(right.name, None, batches)


def _findings(
    tests: InProcess, subjects: Iterator[_Subject], jobs: int | None
) -> Iterator[Finding]:
    """Runs the subjects; yields the finding of each once all its batches have ended."""
    running: dict[str, _Subject] = {}

    def batches() -> Iterator[Batch]:
        for subject in subjects:
            running[subject.name] = subject
            yield from subject.batches

    for batch, outcomes in tests.run(batches(), jobs):
        subject = running[batch.label]
        subject.results[batch.nonce] = outcomes
        if len(subject.results) == len(subject.batches):
            del running[subject.name]
            if subject.exercise is not None:  # `_subjects` wrote it
                shutil.rmtree(batch.submission)
            yield _finding(tests, subject)


def _finding(tests: InProcess, subject: _Subject) -> Finding:
    max_points: dict[str, float] = {}
    draws = []
    for batch in subject.batches:
        outcomes = subject.results[batch.nonce]
        _, scores = score(tests.manifest, outcomes, "hidden")
        max_points = {exercise.id: exercise.max_points for exercise in scores}
        points = {exercise.id: round(exercise.points, 6) for exercise in scores}
        states = {outcome.check.test: str(outcome.check.state) for outcome in outcomes}
        draws.append(Draw(batch.nonce, points, states))
    return Finding(subject.name, subject.exercise, max_points, tuple(draws))
