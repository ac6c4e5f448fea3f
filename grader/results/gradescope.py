"""Gradescope's `results.json`: one entry per exercise; the entry's text lists the checks."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from grader.results.record import Grade
from grader.results.student import ExerciseView, Report, report
from grader.results.text import plural, points

Shown = Literal["visible", "after_published"]
MAX_BYTES = 100_000  # Gradescope cuts longer output; it reads cut JSON as a score of 0
# (max_detail, max_text) to try until the output fits: characters of a check and of an exercise.
# Details are cut first, titles and hints last.
_LIMITS = [
    *((detail, 100_000) for detail in (4000, 2000, 1000, 500, 250, 100, 0)),
    *((0, text) for text in (2000, 1000, 500, 250, 0)),
]


class NoScoreError(ValueError):
    """The grade has no score, so there is no result for Gradescope."""


def to_gradescope(
    grade: Grade,
    note: str = "",
    score: float | None = None,
    *,
    visibility: Shown = "visible",
    leaderboard: bool = False,
) -> bytes:
    """`results.json`, which the student sees, in less than `MAX_BYTES`.

    Args:
        note: a sentence by staff, which comes first.
        score: what staff made of the grade's score, to show in its place.
        visibility: when students see the tests, and with them every number of points.
        leaderboard: whether to list the grade's own points, in total and by chapter.

    Raises:
        NoScoreError: there is no score, after a fault of the grader. Gradescope would replace a
            missing score by the sum of the tests, which is no mark.
    """
    if grade.score is None:
        raise NoScoreError(
            f"{grade.submission}: no score after a fault of the grader; results.json is not written"
        )
    view = report(grade, note, score)
    score = grade.score if score is None else score
    for limits in _LIMITS:
        results = _results(view, score, limits, visibility)
        if leaderboard:
            results["leaderboard"] = _leaderboard(view, grade.score)
        encoded = msgspec.json.encode(results)
        if len(encoded) < MAX_BYTES:
            break
    return msgspec.json.format(encoded, indent=1) if len(encoded) < MAX_BYTES * 0.8 else encoded


def _results(
    view: Report, score: float, limits: tuple[int, int], visibility: Shown
) -> dict[str, Any]:
    max_detail, max_text = limits
    return {
        "score": score,
        "output": _cut(_summary(view, max_detail, visibility), 4 * max_text),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "extra_data": {
            "isolation_tier": view.tier,
            "tests": view.tests,
            "max_score": view.max_score,
            "version": view.version,
            "handout": view.handout,
        },
        "tests": [
            _entry(f"{i}.{j}", exercise, view.unsafe, limits, visibility)
            for i, chapter in enumerate(view.chapters, 1)
            for j, exercise in enumerate(chapter.exercises, 1)
        ],
    }


def _entry(
    number: str, exercise: ExerciseView, unsafe: bool, limits: tuple[int, int], visibility: Shown
) -> dict[str, Any]:
    max_detail, max_text = limits
    name = f"{exercise.id}: {exercise.title}" + ("" if exercise.core else " (further)")
    entry: dict[str, Any] = {
        "name": f"{name} (UNSAFE)" if unsafe else name,
        "number": number,
        "output": _cut(_text(exercise, max_detail), max_text),
        "tags": [exercise.chapter],
        "visibility": visibility,
    }
    if exercise.counts:
        entry |= {"score": exercise.points, "max_score": exercise.max_points}
    if exercise.measured:
        entry["status"] = "passed" if exercise.status == "complete" else "failed"
    return entry


def _text(exercise: ExerciseView, max_detail: int) -> str:
    if exercise.sentence:
        return exercise.sentence
    lines = []
    if not exercise.measured:
        lines.append(f"Not measured here: {points(exercise.max_points)} points left out.")
    if shared := exercise.shared_words:
        lines.append(_cut(shared, max(max_detail, 250)))
    for check in (check for check in exercise.checks if check.state != "passed"):
        worth = check.worth or ("public" if check.public else "0 points")
        lines.append(f"{check.mark} {check.number}. {check.title} ({worth})")
        if not shared:
            lines += [_indent(t) for t in (check.words, _cut(check.detail, max_detail)) if t]
    passed = [check for check in exercise.checks if check.state == "passed"]
    if passed:  # their titles would take the room of messages
        public = sum(check.public for check in passed)
        worth = f" ({public} public, without points)" if public else ""
        lines.append(f"✓ {plural(len(passed), 'check')} passed{worth}")
    if exercise.further:
        lines += ["", exercise.further.text]
    if exercise.hint:
        lines += ["", f"Hint for the exercise: {exercise.hint}"]
    if exercise.next_step:
        lines.append(exercise.next_step)
    return "\n".join(lines)


def _leaderboard(view: Report, total: float) -> list[dict[str, Any]]:
    """Points in total and by chapter; chapters of which nothing counts are left out."""
    chapters = [(chapter.name, chapter.points) for chapter in view.chapters if chapter.max_points]
    return [{"name": n, "value": round(value, 2)} for n, value in [("Total", total), *chapters]]


def _summary(view: Report, max_detail: int, visibility: Shown) -> str:
    """What stands above the tests: notices, headline, imports, files left out, isolation."""
    complete = sum(exercise.status == "complete" for exercise in view.exercises)
    headline = f"{view.headline}; {complete} of {plural(len(view.exercises), 'exercise')} complete."
    if visibility != "visible":
        headline = "The points are shown once the course publishes them."
    parts = [*view.notices, headline]
    for module in view.modules:
        what = "was imported, with a warning" if module.ok else "could not be imported"
        place = f" ({module.place})" if module.place else ""
        message = _indent(_cut(module.message, max(max_detail, 250)))
        parts.append(f"{module.module} {what}{place}:\n{message}".rstrip())
    if view.left_out:
        files = _cut("\n".join(view.left_out), max(max_detail, 250))
        parts.append("Files left out or renamed:\n" + _indent(files))
    if not max_detail:
        parts.append("There is no room for messages: `make test` shows those of public checks.")
    parts.append(
        "Legend: ✓ passed, ✗ failed, ○ open: it may depend on another check, – not measured."
    )
    isolation = f"Isolation: tier {view.tier} ({view.tier_words})."
    parts.append(f"{isolation} {view.handout_words} {view.graded_with}".rstrip())
    return "\n\n".join(parts)


def _indent(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[:limit].rstrip() + "\n… (cut)" if limit else ""
