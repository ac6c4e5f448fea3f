"""`overview.html`: a class at a glance, for staff who would rather look than read."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader.causes import Cause
from grader.classroom.marks import Row
from grader.results.html import template
from grader.results.record import Grade
from grader.results.text import clean

_BINS = 10  # of the distribution of marks
_SUSPICIOUS = 0.8  # of those who started: if more fail a check, it may be at fault itself
_CAUSES = 3  # that are named for an exercise
_TEMPLATE = Path(__file__).with_name("overview.html")


@dataclass
class ExerciseView:
    """What the class made of one exercise."""

    id: str
    title: str
    max_points: float
    started: float = 0.0  # as `full`: a share of the graded students
    full: float = 0.0
    mean: float = 0.0  # of the points, as a share
    # Correlation of its points with those of all others; None if all have the same.
    discrimination: float | None = None
    causes: list[tuple[str, int]] = field(default_factory=list)  # the commonest, and students


@dataclass
class CheckView:
    """A hidden check that most fail of those for whom its own rule was judged."""

    exercise: str
    test: str
    title: str
    failed: int
    judged: int


def html(rows: Sequence[Row], suspected: Sequence[CheckView]) -> str:
    """The page, with the checks of `suspects`; it fetches nothing and needs no script."""
    graded = [(row, row.grade) for row in rows if row.grade is not None]
    finals = [row.final for row in rows if row.final is not None]
    most = max((grade.max_score for _, grade in graded), default=0.0)
    origins = [grade.provenance for _, grade in graded if grade.provenance is not None]
    return template(_TEMPLATE).render(
        statuses=Counter(row.status for row in rows).most_common(),
        students=len(rows),
        most=most,
        mean=statistics.fmean(finals) if finals else None,
        median=statistics.median(finals) if finals else None,
        bins=_distribution(finals, most),
        exercises=_exercise_views(graded),
        suspects=suspected,
        seconds=sum(origin.cpu_seconds or 0.0 for origin in origins),
        tiers=sorted({grade.isolation.tier for _, grade in graded}),
    )


def _distribution(finals: Sequence[float], most: float) -> list[tuple[float, float, int]]:
    """The bins of the marks: from, to, and the number of students."""
    if not most:
        return []
    counts = Counter(min(int(final / most * _BINS), _BINS - 1) for final in finals)
    return [(i / _BINS * most, (i + 1) / _BINS * most, counts[i]) for i in range(_BINS)]


def _exercise_views(graded: Sequence[tuple[Row, Grade]]) -> list[ExerciseView]:
    views: dict[str, ExerciseView] = {}
    points: dict[str, list[float]] = defaultdict(list)
    others: dict[str, list[float]] = defaultdict(list)
    started: Counter[str] = Counter()
    causes: dict[str, Counter[str]] = defaultdict(Counter)
    for row, grade in graded:
        started.update(row.started)
        for one in grade.exercises:
            if not one.measured:
                continue
            views.setdefault(one.id, ExerciseView(one.id, clean(one.title), one.max_points))
            earned = row.exercises[one.id]
            points[one.id].append(earned)
            others[one.id].append(sum(row.exercises.values()) - earned)
        failed = [check for check in grade.checks if check.state == "failed"]
        for name, cause in {(check.exercise, check.cause) for check in failed}:
            if cause not in (None, Cause.NOT_STARTED):
                causes[name][cause] += 1
    for name, view in views.items():
        view.started = started[name] / len(points[name])
        view.full = sum(p >= view.max_points for p in points[name]) / len(points[name])
        view.mean = statistics.fmean(points[name]) / view.max_points if view.max_points else 0.0
        view.causes = causes[name].most_common(_CAUSES)
        if len(set(points[name])) > 1 and len(set(others[name])) > 1:
            view.discrimination = statistics.correlation(points[name], others[name])
    return list(views.values())


def suspects(rows: Sequence[Row]) -> list[CheckView]:
    """The hidden checks that nearly everybody fails who started the exercise, the worst first."""
    failed: Counter[tuple[str, str]] = Counter()
    titles: dict[tuple[str, str], str] = {}
    judged: Counter[tuple[str, str]] = Counter()
    for row in rows:
        for check in row.grade.checks if row.grade is not None else ():
            if check.exercise in row.started and check.visibility == "hidden":
                key = check.exercise, check.test
                titles[key] = check.title
                failed[key] += check.state == "failed"
                judged[key] += check.state != "open"
    found = [
        CheckView(*key, clean(titles[key]), number, judged[key])
        for key, number in failed.items()
        if judged[key] > 1 and number >= _SUSPICIOUS * judged[key]
    ]
    return sorted(found, key=lambda check: (-check.failed / check.judged, check.test))
