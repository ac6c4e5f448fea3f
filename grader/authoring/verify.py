"""Verifies the assignment: are the reference right, the tests strict, the handout in sync?

Everything is graded as a submission would be, in the sandbox. What must hold:

1. the reference earns full marks, and so does each correct solution that is written differently,
   with as many nonces as asked for;
2. the untouched handout earns none and passes no check;
3. code that answers by rote (None, 0, its argument, always an exception), or knows the public
   tests by heart, passes no hidden check;
4. each of `solutions/wrong/` loses points in the exercise it names, and in no other that does
   not build on it (`depends_on`);
5. the handout is what `grader handout` would build.

Races are left out, which need a device to themselves: what is raced is verified by its other tests.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import as_completed
from dataclasses import dataclass
from pathlib import Path

from assignment import manifest as manifests
from assignment.manifest import Exercise
from grader.authoring import handout, parrot, pool, variants
from grader.judge import markers
from grader.judge.session import Judge
from grader.kinds import Kind
from grader.paths import REPOSITORY
from grader.results.record import Grade


@dataclass(frozen=True)
class Case:
    """One submission to grade, and what it is called in the report."""

    kind: Kind
    name: str
    source: str = ""  # a correct submission's folder, a wrong one's file, a body by rote


@dataclass(frozen=True)
class Finding:
    """One thing that must hold: whether it does, and what was seen if not."""

    kind: str
    name: str
    problems: tuple[str, ...]
    seen: str = ""

    @property
    def ok(self) -> bool:
        return not self.problems


def cases(
    kinds: Collection[Kind] = tuple(Kind), nonces: int = 1, sample: int | None = None
) -> list[Case]:
    """Every submission that the assignment is verified with.

    Correct ones stand there `nonces` times. Of wrong ones, those by rote included, `sample` are
    drawn anew each time, if it is not None.
    """
    manifest = markers.load(REPOSITORY / "tests")
    correct = [Case(Kind.REFERENCE, "the reference", str(variants.SOLUTIONS))]
    correct += [
        Case(Kind.ALTERNATIVE, f"a correct solution, {folder.name}", str(folder))
        for folder in variants.alternatives()
    ]
    found = [case for case in correct for _ in range(nonces)]
    found += [Case(Kind.HANDOUT, "the untouched handout", str(handout.HANDOUT))]
    mistaken = [Case(Kind.ROTE, f"code that {name}", body) for name, body in variants.ROTE.items()]
    mistaken += [
        Case(Kind.PARROT, f"the public tests by heart, else {name}", body)
        for name, body in variants.ROTE.items()
        if "raise" in body
    ]
    mistaken += [Case(Kind.WRONG, w.path.stem, str(w.path)) for w in variants.all_wrong(manifest)]
    mistaken = [case for case in mistaken if case.kind in kinds]
    if sample is not None and sample < len(mistaken):
        mistaken = random.sample(mistaken, sample)
    found += mistaken
    return [case for case in found if case.kind in kinds]


def verify(
    cases: list[Case],
    jobs: int | None = None,
    on_finding: Callable[[Finding], None] | None = None,
) -> list[Finding]:
    """Grades these cases, `jobs` at a time (as many as there are cores if None)."""
    findings = []
    for finding in _findings(cases, jobs):
        findings.append(finding)
        if on_finding is not None:
            on_finding(finding)
    return findings


def _findings(cases: list[Case], jobs: int | None) -> Iterator[Finding]:
    yield Finding("handout", "handout/ is in sync", tuple(handout.check()))
    untried = sorted(
        {exercise.id for exercise in manifests.load() if not _only_raced(exercise)}
        - {wrong.exercise.id for wrong in variants.all_wrong(manifests.load())}
    )
    yield Finding(
        "wrong",
        "each exercise has a wrong submission, where a race is not all there is to it",
        tuple(f"none for {e}" for e in untried),
    )
    with pool.processes(jobs, _start) as judges:
        pending = {judges.submit(check, case): case for case in cases}
        for done in as_completed(pending):
            error = done.exception()
            if error is None:
                yield done.result()
            else:
                case = pending[done]
                yield Finding(case.kind, case.name, (f"could not be graded: {error!r}",))


def _only_raced(exercise: Exercise) -> bool:
    """Whether it races what other exercises have tested."""
    return bool(exercise.needs and exercise.depends_on)


_judge: Judge | None = None


def _start() -> None:
    """Starts this process's judge; it ends with the process, when its control socket closes."""
    global _judge  # one judge for each process of the pool
    _judge = Judge(lanes=1, manifest=manifests.load().without_devices)


def check(case: Case) -> Finding:
    """Grades one case in this process's judge and says what does not hold."""
    if _judge is None:
        _start()
    assert _judge is not None
    manifest = manifests.load()
    with tempfile.TemporaryDirectory(prefix="verify-") as text:
        folder = Path(text) / "submission"
        if case.kind in (Kind.REFERENCE, Kind.ALTERNATIVE):
            grade = _judge.grade(Path(case.source), timing="skip")
            return _finding(case, grade, _full(grade))
        if case.kind is Kind.HANDOUT:
            grade = _judge.grade(Path(case.source), timing="skip")
            return _finding(case, grade, _nothing(grade))
        if case.kind is Kind.ROTE:
            grade = _judge.grade(variants.write_rote(folder, manifest, case.source), tests="hidden")
            return _finding(case, grade, _nothing(grade, hidden_only=True))
        if case.kind is Kind.PARROT:
            grade = _judge.grade(parrot.write(folder, manifest, case.source), tests="hidden")
            return _finding(case, grade, _nothing(grade, hidden_only=True))
        wrong = variants.read_wrong(Path(case.source), manifest)
        # A fragment changes one module: exercises of other modules cannot tell.
        related = [e.id for e in manifest if wrong.module in e.modules]
        grade = _judge.grade(wrong.write(folder), only=related, tests="hidden")
        return _finding(case, grade, _loses(grade, wrong.exercise.id, wrong.concerns(manifest)))


def _finding(case: Case, grade: Grade, problems: list[str]) -> Finding:
    problems = [*(f"fault of the grader: {fault}" for fault in grade.faults), *problems]
    score = "no score" if grade.score is None else f"{grade.score:g}"
    return Finding(case.kind, case.name, tuple(problems), f"{score} of {grade.max_score:g}")


def _full(grade: Grade) -> list[str]:
    tested = {check.exercise for check in grade.checks if check.visibility == "hidden"}
    untested = [e.id for e in manifests.load() if not _only_raced(e) and e.id not in tested]
    return [f"{exercise} has no hidden test" for exercise in untested] + [
        f"{check.test} {check.state}: {check.cause}, with nonce {grade.nonce}\n{check.detail or ''}"
        for check in grade.checks
        if check.state != "passed"
    ]


def _nothing(grade: Grade, hidden_only: bool = False) -> list[str]:
    return [
        f"{check.test} passed"
        for check in grade.checks
        if check.state == "passed" and not (hidden_only and check.visibility == "public")
    ]


def _loses(grade: Grade, exercise: str, builds_on_it: Collection[str]) -> list[str]:
    problems = []
    for score in grade.exercises:
        lost = score.points < score.max_points
        if score.id == exercise and not lost:
            problems.append(f"keeps all points of {exercise}")
        if lost and score.id != exercise and score.id not in builds_on_it:
            failed = [c.test for c in grade.checks if c.exercise == score.id and c.cause]
            problems.append(f"loses points of {score.id} too: {', '.join(failed)}")
    return problems
