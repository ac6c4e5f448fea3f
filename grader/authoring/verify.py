"""Verifies the assignment: is the reference correct, are the tests strict, is the handout in sync?

Every case is graded in the sandbox, as a submission. The requirements:

1. the reference gets full marks, and so does each correct solution that is written differently,
   with the requested number of nonces;
2. the untouched handout gets no points and passes no check;
3. code with rote answers (None, 0, its argument, always an exception), or that has memorized the
   public tests, or that echoes or borrows (`automatic`), passes no hidden check;
4. each file of `solutions/wrong/` loses points in the exercise it names, and in no other exercise
   that does not depend on it (`depends_on`); one marked `(core)`, as each exercise has, earns
   at most a quarter of its points; the rules that another one breaks are worth half of the points,
   or it says why more;
5. the reference with one exercise a stub loses the points of that one; of those that build on it,
   only where they call it;
6. the handout is what `grader author handout` would build.

Races are skipped, since they need an idle device. Other tests verify the raced functions.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import as_completed
from dataclasses import dataclass, field, replace
from pathlib import Path

from assignment import manifest as manifests
from assignment.manifest import Exercise
from grader.authoring import automatic, handout, memorized, variants
from grader.authoring.variants import Kind, Wrong
from grader.causes import Cause
from grader.classroom import engine
from grader.judge import markers
from grader.judge.grader import Grader, Tests
from grader.paths import REPOSITORY
from grader.results.record import Grade


@dataclass(frozen=True)
class Case:
    """One submission to grade, and its name in the report."""

    kind: Kind
    name: str
    source: str = ""  # folder of a correct submission, file of a wrong one, or a rote body
    only: tuple[str, ...] = ()  # exercises of a correct submission; all if empty


@dataclass(frozen=True)
class Finding:
    """The result of one requirement. It holds if `problems` is empty."""

    kind: str
    name: str
    problems: tuple[str, ...]
    seen: str = ""  # the score, or the share that a mistake costs
    charged: Mapping[str, float] = field(default_factory=dict)  # the seconds of each test
    costly: str = ""  # why a mistake costs more than half


def cases(
    kinds: Collection[Kind],
    nonces: int = 1,
    sample: int | None = None,
    exercises: Collection[str] = (),
) -> list[Case]:
    """The submissions of some kinds that the assignment is verified with.

    Correct ones are graded `nonces` times. If `sample` is not None, only that many random ones of
    those that should fail are graded, and one correct one: packing grades the reference anyway.
    `exercises` selects the wrong ones and the stubs, and what is tested of the others.

    Raises:
        ManifestError: there is no such exercise.
    """
    manifest = markers.load(REPOSITORY / "tests")
    only = tuple(manifest[exercise].id for exercise in exercises)
    correct = [
        Case(Kind.REFERENCE, "the reference", str(variants.SOLUTIONS), only),
        *(
            Case(Kind.ALTERNATIVE, f"a correct solution, {folder.name}", str(folder), only)
            for folder in variants.alternatives()
        ),
    ]
    correct = [case for case in correct if case.kind in kinds]
    if sample is not None:
        correct = random.sample(correct, min(1, len(correct)))
    untouched = Case(Kind.HANDOUT, "the untouched handout", str(handout.HANDOUT), only)
    failing = [
        *(Case(Kind.ROTE, f"code that {name}", body) for name, body in variants.ROTE.items()),
        *(
            Case(Kind.MEMORIZED, f"memorized public tests, otherwise {name}", body)
            for name, body in variants.ROTE.items()
            if "raise" in body
        ),
        *(
            Case(Kind.ECHO, f"an echo of its arguments: {name}", way)
            for name, way in automatic.ECHOES.items()
        ),
        Case(Kind.BORROWER, "code that calls the handout's own"),
        *(
            Case(Kind.WRONG, wrong.path.stem, str(wrong.path))
            for wrong in variants.all_wrong(manifest)
            if not exercises or wrong.exercise.id in exercises
        ),
        *(
            Case(Kind.STUB, f"{one.id} as a stub", one.id)
            for one in manifest
            if not one.needs and (not exercises or one.id in exercises)
        ),
    ]
    failing = [case for case in failing if case.kind in kinds]
    if sample is not None and sample < len(failing):
        failing = random.sample(failing, sample)
    found = [case for case in correct for _ in range(nonces)]
    return [*found, *([untouched] if Kind.HANDOUT in kinds else []), *failing]


def findings(cases: list[Case], jobs: int | None) -> Iterator[Finding]:
    """Checks every requirement; grades cases in `jobs` processes (None: one for each core)."""
    yield Finding("handout", "handout/ is in sync", tuple(handout.check()))
    untried = sorted(
        {exercise.id for exercise in manifests.load() if not exercise.needs}
        - {wrong.exercise.id for wrong in variants.all_wrong(manifests.load()) if wrong.core}
    )
    yield Finding(
        "wrong",
        "each exercise has a (core) wrong submission, unless it is raced",
        tuple(f"none for {e}" for e in untried),
    )
    yield from graded(cases, jobs)


def graded(cases: list[Case], jobs: int | None) -> Iterator[Finding]:
    """Grades the cases; yields the finding of each when it is done."""
    with engine.started(_grader, jobs) as graders:
        pending = {graders.submit(check, case): case for case in cases}
        for done in as_completed(pending):
            error = done.exception()
            if error is None:
                yield done.result()
            else:
                case = pending[done]
                yield Finding(case.kind, case.name, (f"could not be graded: {error!r}",))


def _grader() -> Grader:
    return Grader(lanes=1, manifest=manifests.load().for_any_machine)


def check(grader: Grader, case: Case) -> Finding:
    """Grades one case and returns its problems."""
    manifest = manifests.load()
    with tempfile.TemporaryDirectory(prefix="verify-") as text:
        folder = Path(text) / "submission"
        match case.kind:
            case Kind.STUB:
                exercise = manifest[case.source]
                variants.write_stub(folder, manifest, exercise)
                related = variants.dependents(exercise, manifest)
                grade = grader.grade(folder, only=related, tests="hidden")
                finding = _finding(case, grade, _problems_of_stub(grade, exercise))
                return replace(finding, seen=_points_left(grade))
            case Kind.WRONG:
                wrong = variants.read_wrong(Path(case.source), manifest)
                # A fragment changes one module: exercises of other modules are not affected.
                related = [e.id for e in manifest if wrong.module in e.modules]
                tests: Tests = "public" if wrong.public else "hidden"
                grade = grader.grade(wrong.write(folder), only=related, tests=tests)
                affected = variants.dependents(wrong.exercise, manifest)
                finding = _finding(case, grade, _problems_of_wrong(grade, wrong, affected))
                return _with_cost(finding, grade, wrong)
            case Kind.MEMORIZED:
                memorized.write(folder, manifest, case.source)
            case Kind.ECHO:
                automatic.write_echo(folder, manifest, case.source)
            case Kind.BORROWER:
                automatic.write_borrower(folder, manifest)
            case Kind.ROTE:
                variants.write_rote(folder, manifest, case.source)
            case Kind.REFERENCE | Kind.ALTERNATIVE | Kind.HANDOUT:
                folder = Path(case.source)
        hidden = case.kind in (Kind.MEMORIZED, Kind.ECHO, Kind.BORROWER)
        grade = grader.grade(
            folder, tests="hidden" if hidden else "all", timing="skip", only=case.only
        )
        is_right = case.kind in (Kind.REFERENCE, Kind.ALTERNATIVE)
        problems = _problems_of_correct(grade, case.only) if is_right else _passed(grade)
        return _finding(case, grade, problems)


def _finding(case: Case, grade: Grade, problems: list[str]) -> Finding:
    problems = [*(f"fault of the grader: {fault}" for fault in grade.faults), *problems]
    score = "no score" if grade.score is None else f"{grade.score:g}"
    charged = {check.test: check.charged for check in grade.checks}
    seen = f"{score} of {grade.max_score:g}"
    return Finding(case.kind, case.name, tuple(problems), seen, charged=charged)


def _with_cost(finding: Finding, grade: Grade, wrong: Wrong) -> Finding:
    """The finding with the mistake's cost, and a problem if that is high without a reason.

    Open checks cost points too, but say nothing about their own rules: they failed as an earlier
    check did, or lack the work that it judges.
    """
    checks = [check for check in grade.checks if check.exercise == wrong.exercise.id]
    lost = sum(check.max_points - check.points for check in checks)
    broken = sum(c.max_points - c.points for c in checks if c.state == "failed")
    points = wrong.exercise.points
    problems, costly = list(finding.problems), ""
    if lost > variants.RUBRIC * points + 0.005:
        costly = wrong.costs or "its other checks need right results"
        if sum(check.max_points > 0 for check in checks) == 1:
            costly = "there is one check alone"
        elif wrong.core:
            costly = f"it lacks the work: {wrong.exercise.work}"
        elif broken > variants.RUBRIC * points + 0.005 and not wrong.costs:
            problems.append(
                f"breaks rules worth {broken:.2f} of {points:g} points: split or reweight the "
                f"checks, or give the reason in a paragraph `Costs: …` of its docstring"
            )
    seen = f"costs {100 * lost / points:.0f} % of {wrong.exercise.id}"
    return replace(finding, seen=seen, costly=costly, problems=tuple(problems))


def _problems_of_correct(grade: Grade, only: Collection[str]) -> list[str]:
    """Problems unless every check passed and every exercise has a hidden test."""
    tested = {check.exercise for check in grade.checks if check.visibility == "hidden"}
    wanted = [e for e in manifests.load() if not only or e.id in only]
    untested = [e.id for e in wanted if not e.only_races and e.id not in tested]
    return [f"{exercise} has no hidden test" for exercise in untested] + [
        f"{check.test} {check.state}: {check.cause}, with nonce {grade.nonce}\n{check.detail or ''}"
        for check in grade.checks
        if check.state != "passed"
    ]


def _passed(grade: Grade) -> list[str]:
    """A problem for each check that passed, of a submission that should pass none."""
    return [f"{check.test} passed" for check in grade.checks if check.state == "passed"]


def _problems_of_stub(grade: Grade, stub: Exercise) -> list[str]:
    """Problems unless a stub earns nothing, and other exercises only fail where they call it."""
    # NOT_STARTED: another exercise has the same functions.
    calls = (None, Cause.UNFINISHED, Cause.NOT_STARTED)
    return [
        f"{check.test} {check.state}: {check.cause}"
        for check in grade.checks
        if check.cause not in (calls if check.exercise != stub.id else (Cause.NOT_STARTED,))
    ]


def _points_left(grade: Grade) -> str:
    """What each exercise that lost points has left."""
    return ", ".join(
        f"{one.id} {one.points:g} of {one.max_points:g}"
        for one in grade.exercises
        if one.points < one.max_points
    )


def _problems_of_wrong(grade: Grade, wrong: Wrong, affected: Collection[str]) -> list[str]:
    """Problems unless the exercise lost points, enough of them, and only affected exercises did."""
    problems = []
    for score in grade.exercises:
        checks = [check for check in grade.checks if check.exercise == score.id]
        lost = score.points < score.max_points
        if score.id == wrong.exercise.id:
            if not lost:
                problems.append(f"loses no points of {score.id}")
            # Points are rounded to hundredths: a quarter may come out as one hundredth more.
            if wrong.core and score.points > variants.CORE_SHARE * score.max_points + 0.015:
                problems.append(
                    f"earns {score.points:.2f} of {score.max_points:g} points without the work: "
                    f"{wrong.exercise.work}"
                )
                problems += [f"{c.test} passed" for c in checks if c.state == "passed"]
        elif lost and score.id not in affected:
            failed = [check.test for check in checks if check.cause]
            problems.append(f"loses points of {score.id} too: {', '.join(failed)}")
    return problems
