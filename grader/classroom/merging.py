"""A grade of which some exercises ran again, for a class whose tests were corrected."""

from __future__ import annotations

import msgspec

from assignment.manifest import Manifest
from grader.causes import Cause
from grader.isolation import TIERS, UNISOLATED
from grader.judge.provenance import tree_hash, verdicts_hash
from grader.results.record import FurtherRuns, Grade


def merged(before: Grade, again: Grade, manifest: Manifest) -> Grade | None:
    """A grade with the exercises of `again` in the place of those of `before`.

    Both are of the same files under the same nonce. None if today's manifest has other exercises
    or points than they have together: then all must run.
    """
    from grader.judge.verdict import total  # loads pytest, which a grading has loaded already

    new = {exercise.id for exercise in again.exercises}
    found = {exercise.id: exercise for exercise in (*before.exercises, *again.exercises)}
    wanted = [exercise for exercise in manifest if exercise.id in found or not exercise.needs]
    points_of = {e.id: (e.max_points, e.core) for e in found.values()}
    if {e.id: (e.points, e.core) for e in wanted} != points_of:
        return None
    exercises = tuple(found[exercise.id] for exercise in wanted)
    checks = (*(check for check in before.checks if check.exercise not in new), *again.checks)
    points, max_points = total(exercises)
    weaker = max(before, again, key=lambda grade: (*TIERS, UNISOLATED).index(grade.isolation.tier))
    origin = again.provenance
    if origin is not None:
        origin = msgspec.structs.replace(origin, tier=weaker.isolation.tier)
    return msgspec.structs.replace(
        again,
        isolation=weaker.isolation,
        provenance=origin,
        score=points,
        max_score=max_points,
        exercises=exercises,
        checks=checks,
        again=tuple(exercise.id for exercise in wanted if exercise.id in {*before.again, *new}),
        modules=before.modules,
        budget=before.budget,
        further=_further(before.further, again.further, new),
        verdicts=verdicts_hash(checks, manifest),
    )


def with_this_tree(grade: Grade) -> Grade:
    """The grade as today's grader would give it, which differs in nothing that matters here."""
    assert grade.provenance is not None, "its grader is known"
    origin = msgspec.structs.replace(grade.provenance, tree=tree_hash())
    return msgspec.structs.replace(grade, provenance=origin)


def unmeasured(grade: Grade | None, manifest: Manifest) -> tuple[str, ...]:
    """The exercises that need a device and were not measured in a grading.

    What was faster than the hardware allows is for staff, and not to be tried again.
    """
    done: set[str] = set()
    if grade is not None:
        done |= {exercise.id for exercise in grade.exercises if exercise.measured}
        done |= {check.exercise for check in grade.checks if check.cause is Cause.SUSPICIOUS}
    return tuple(one.id for one in manifest if one.needs and one.id not in done)


def _further(before: FurtherRuns | None, again: FurtherRuns | None, new: set[str]) -> FurtherRuns:
    """The runs with further seeds of both; of the exercises `new` only what the second found."""
    none = FurtherRuns(runs=0, charged=0.0)
    before, again = before or none, again or none
    kept = (failure for failure in before.failures if failure.exercise not in new)
    return FurtherRuns(
        runs=before.runs + again.runs,
        charged=before.charged + again.charged,
        failures=(*kept, *again.failures),
        fault=again.fault or before.fault,
    )
