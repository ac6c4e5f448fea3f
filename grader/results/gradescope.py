"""Gradescope's `results.json`: one entry an exercise, its checks listed in the entry's text."""

from __future__ import annotations

from typing import Any

import msgspec

from grader.results.record import Grade
from grader.results.student import ExerciseView, Report, plural, points, report

WHOLE = 100_000  # bytes: Gradescope cuts longer output, and cut JSON is a zero
# Characters of one check's detail, and of one exercise's whole text: details give way first, titles
# and hints last.
_ROOM = [
    *((detail, 100_000) for detail in (4000, 2000, 1000, 500, 250, 100, 0)),
    *((0, text) for text in (2000, 1000, 500, 250, 0)),
]


class NoScoreError(ValueError):
    """The grade has no score, so there is nothing that Gradescope could be told."""


def to_gradescope(grade: Grade) -> bytes:
    """`results.json`, for the student's eyes, under 100,000 bytes.

    Raises:
        NoScoreError: after a fault of the grader. Gradescope would read a missing score as the sum
            of the tests, a mark that nobody gave.
    """
    if grade.score is None:
        raise NoScoreError(
            f"{grade.submission}: no score after a fault of the grader; results.json is not written"
        )
    view = report(grade)
    for detail, text in _ROOM:
        encoded = msgspec.json.encode(_results(view, grade.score, detail, text))
        if len(encoded) < WHOLE:
            break
    return msgspec.json.format(encoded, indent=1) if len(encoded) < WHOLE * 0.8 else encoded


def _results(view: Report, score: float, detail: int, text: int) -> dict[str, Any]:
    return {
        "score": score,
        "execution_time": view.seconds,
        "output": _cut(_summary(view, detail), 4 * text),
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
            _entry(f"{chapter_number}.{number}", exercise, view.unsafe, detail, text)
            for chapter_number, chapter in enumerate(view.chapters, 1)
            for number, exercise in enumerate(chapter.exercises, 1)
        ],
    }


def _entry(
    number: str, exercise: ExerciseView, unsafe: bool, detail: int, text: int
) -> dict[str, Any]:
    name = f"{exercise.id}: {exercise.title}"
    entry: dict[str, Any] = {
        "name": f"{name} (UNSAFE)" if unsafe else name,
        "number": number,
        "output": _cut(_text(exercise, detail), text),
        "tags": [exercise.chapter],
        "visibility": "visible",
    }
    if exercise.measured:
        # Gradescope shows what it is given: 0.67, not 0.6666666666666666. `score` stays exact.
        entry["score"] = round(exercise.points, 2)
        entry["max_score"] = round(exercise.max_points, 2)
        entry["status"] = "passed" if exercise.standing == "complete" else "failed"
    return entry


def _text(exercise: ExerciseView, detail: int) -> str:
    if exercise.sentence:
        return exercise.sentence
    lines = []
    if not exercise.measured:
        lines.append(f"Not measured here: {points(exercise.max_points)} points left out.")
    shared = exercise.shared_words
    if shared:
        lines.append(_cut(shared, max(detail, 250)))
    for check in exercise.checks:
        lines.append(f"{check.mark} {check.title}" + (" (public)" if check.public else ""))
        if not shared:
            lines += [_indent(t) for t in (check.words, _cut(check.detail, detail)) if t]
    if exercise.hint:
        lines += ["", f"Hint: {exercise.hint}", f"Try:  make test EX={exercise.id}"]
    return "\n".join(lines)


def _summary(view: Report, detail: int) -> str:
    complete = sum(exercise.standing == "complete" for exercise in view.exercises)
    parts = [
        *view.notices,
        f"{view.headline}; {complete} of {plural(len(view.exercises), 'exercise')} complete.",
    ]
    for module in view.modules:
        what = "said" if module.ok else "could not be imported"
        place = f" ({module.place})" if module.place else ""
        message = _indent(_cut(module.message, detail))
        parts.append(f"{module.module} {what}{place}:\n{message}".rstrip())
    if view.left_out:
        files = _cut("\n".join(view.left_out), max(detail, 250))
        parts.append("Files left out:\n" + _indent(files))
    parts.append("Legend: ✓ passed, ✗ failed, – not run.")
    parts.append(f"Isolation: tier {view.tier} ({view.tier_words}). {view.handout_words}")
    return "\n\n".join(parts)


def _indent(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[:limit].rstrip() + "\n… (cut)" if limit else ""
