"""One list for an author: is an exercise whole, and what is to be done where it is not?

Each line is what a command of its own also checks, here for one exercise.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from assignment import manifest as manifests
from assignment.manifest import Exercise
from grader.authoring import clauses, exercises, handout, measure_reference, variants, verify
from grader.authoring.campaigns import flakes, public_coverage
from grader.authoring.campaigns.inprocess import Assignment
from grader.authoring.mutation import campaign, plan
from grader.authoring.variants import Kind
from grader.judge import markers
from grader.judge.session import collected
from grader.judge.verdict import new_outcome, score
from grader.paths import REPOSITORY
from grader.results.record import Check
from grader.results.text import plural
from grader.supervisor.budget import ReferenceTimes

_WRITEUP = REPOSITORY / "assignment" / "writeup"
_NONCES = 20
_LEAST_MISTAKES = 3
_SLOW = 0.2  # seconds: a test of the reference that takes more is in tests/reference_times.toml


@dataclass(frozen=True)
class Line:
    """One requirement of an exercise: it holds if `problems` is empty."""

    what: str
    problems: tuple[str, ...] = ()
    advice: str = ""  # what to do if there are problems


def lines(exercise_id: str, jobs: int | None = None) -> Iterator[Line]:
    """The list, line by line as it is made; the quick checks come first.

    Raises:
        ManifestError: there is no such exercise, or the assignment is not consistent.
    """
    manifest = manifests.load()
    exercise = manifest[exercise_id]
    stale = tuple(handout.check())
    yield Line("handout/ is in sync", stale, "make handout, and commit it")
    yield _section(exercise)
    yield _clauses(exercise)
    yield from _gradings(exercise, jobs, is_stale=bool(stale))
    yield _public(exercise, jobs)
    yield _draws(exercise, jobs)
    yield _mutants(exercise, jobs)


def graded_checks(name: str | None) -> Iterator[tuple[Exercise, list[Check]]]:
    """Each exercise (all, or those that `name` selects) with its hidden checks and their points.

    Raises:
        ManifestError: there is none, or the assignment is not consistent.
    """
    manifest = markers.load(REPOSITORY / "tests")
    chosen = manifest.named(name) if name else tuple(manifest)
    sys.path.insert(0, str(REPOSITORY))  # tests import modules of this repository
    with collected(manifest, REPOSITORY, ("hidden", "timing")) as session:
        passed = [new_outcome(test, None, None) for test in session.tests]
        checks, _ = score(manifest, passed, "hidden")
    for exercise in chosen:
        yield exercise, [check for check in checks if check.exercise == exercise.id]


def _section(exercise: Exercise) -> Line:
    heading = f"## Exercise `{exercise.id}` ({exercise.worth})"
    path = _WRITEUP / f"{exercise.chapter}.md"
    text = path.read_text(encoding="utf-8")
    reference = (variants.REFERENCE / f"{exercise.modules[0]}.py").read_text(encoding="utf-8")
    problems = exercises.template_leftovers(exercise, reference, text)
    if heading not in text.splitlines():
        problems.append(f"{path.name} has no line {heading!r}")
    advice = f"write it in assignment/writeup/{path.name} and assignment/assignment.toml"
    return Line("the text has its section", tuple(problems), advice)


def _clauses(exercise: Exercise) -> Line:
    manifest = manifests.load()
    known = clauses.all_clauses(manifest)
    left = clauses.unbroken(known, clauses.breakers(known, variants.all_wrong(manifest)))
    return Line(
        "each clause of its docstrings is broken by a mistake",
        tuple(f"{name}: {c.text}" for name in exercise.functions for c in left.get(name, ())),
        "write a mistake that breaks it, with a line `Breaks: …`, or say in "
        "solutions/clauses.toml why it promises nothing",
    )


def _gradings(exercise: Exercise, jobs: int | None, is_stale: bool) -> Iterator[Line]:
    kinds = [Kind.REFERENCE, Kind.ALTERNATIVE, Kind.WRONG]
    kinds += [] if is_stale else [Kind.HANDOUT]
    cases = verify.cases(kinds, exercises=[exercise.id])
    found = list(verify.graded(cases, jobs))

    def problems(*kinds: Kind) -> tuple[str, ...]:
        return tuple(
            f"{one.name}: {problem}"
            for one in found
            if one.kind in kinds
            for problem in one.problems
        )

    yield Line(
        "the reference and the other correct solutions get all points",
        problems(Kind.REFERENCE, Kind.ALTERNATIVE),
        "correct the solution, or the test",
    )
    known = ReferenceTimes.read(measure_reference.FILE).tests
    charged = next(one.charged for one in found if one.kind == Kind.REFERENCE)
    yield Line(
        "its tests are quick, or it is known how long they take",
        tuple(f"{t} takes {s:.1f} s" for t, s in charged.items() if s > _SLOW and t not in known),
        "make them quicker, or: grader author measure-reference",
    )
    if not is_stale:
        yield Line("the stub gets nothing", problems(Kind.HANDOUT), "correct the test that passes")
    mistakes = [case for case in cases if case.kind is Kind.WRONG]
    few = () if len(mistakes) >= _LEAST_MISTAKES else (f"there are fewer than {_LEAST_MISTAKES}",)
    yield Line(
        f"{plural(len(mistakes), 'mistake')} cost points of this exercise, and not too many",
        (*problems(Kind.WRONG), *few),
        "as said; if it costs none, write a hidden test that fails, or remove the mistake",
    )


def _public(exercise: Exercise, jobs: int | None) -> Line:
    own = Assignment()
    found = public_coverage.run(own, exercises=[exercise.id], nonce="teaching", jobs=jobs)
    listed = public_coverage.load_grader_only(public_coverage.GRADER_ONLY)
    missed = [one.wrong.path.stem for one in found.missed]
    low = [share for share in found.too_low(own.manifest) if share.exercise == exercise.id]
    return Line(
        "public tests see most mistakes; of the others students read a rule",
        (
            *(f"{stem} fails no public test" for stem in missed if stem not in listed),
            *(f"they see {share.seen} of {share.caught}" for share in low),
        ),
        "add a public test, or an entry of solutions/grader_only.toml with its rule",
    )


def _draws(exercise: Exercise, jobs: int | None) -> Line:
    chosen = [exercise.id]
    run = partial(
        flakes.run, Assignment(), seed="check", nonces=_NONCES, exercises=chosen, jobs=jobs
    )
    return Line(
        f"right code passes in each of {_NONCES} draws of the inputs",
        tuple(one.command for public in (False, True) for one in run(public=public).failures),
        "correct the test: an edge case is in it by name, or its inputs stay away from it",
    )


def _mutants(exercise: Exercise, jobs: int | None) -> Line:
    assignment = plan.own_assignment()
    planned = plan.make(assignment, exercises=[exercise.id])
    outcome = campaign.run(assignment, planned, jobs)
    survivors = (one.mutant for one in outcome.survivors)
    return Line(
        f"hidden tests notice each of {plural(len(planned.chosen), 'mutant')} of the reference",
        (
            *(f"{m.module}.py:{m.line}: {m.original!r} → {m.mutated!r}" for m in survivors),
            *outcome.problems,
            *outcome.faults,
        ),
        "test it, write less code, or say in solutions/equivalent_mutants.toml why nothing tells",
    )
