"""The summary that `grader grade` prints: readable at 80 columns and without colour."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader.results.record import Grade
from grader.results.student import CheckView, ExerciseView, Report, report
from grader.results.text import clean, plural, points

MAX_EXERCISES = 5  # failing exercises that are shown with their messages
BAR = 30  # columns
MAX_LINES = 12  # of one message; the report has the rest
STATE_STYLE = {"passed": "green", "failed": "red", "open": "yellow", "not_run": "dim"}
STATUS_STYLE = {"complete": "green", "partly": "yellow", "failed": "red"}


def summary(grade: Grade, *, staff: bool = False) -> RenderableType:
    """The summary of a grade. With `staff`, it includes the text of the grader's faults.

    Everything is `Text`, never markup: a title or a message may hold square brackets.
    """
    view = report(grade)
    parts = [*_head(view), *_exercises(view), *_modules(view), *_first_failures(view)]
    parts += _list("Files left out or renamed", view.left_out)
    if staff:
        parts += _list("Faults of the grader", [clean(fault) for fault in grade.faults], "red")
    parts += _foot(view)
    return Group(*parts)


def _head(view: Report) -> Iterator[RenderableType]:
    if view.unsafe:
        yield Text(f"!!! {view.notices[0]} !!!\n", style="bold red")
    yield Text(view.submission, style="bold")
    if view.score is None:
        yield Text(view.headline, style="bold red")
    else:
        style = "green" if view.share >= 1 - 1e-9 else "yellow"
        full = min(int(view.share * BAR + 1e-9), BAR)  # full only with every point
        bar = ("█" * full, style), ("░" * (BAR - full), "dim")
        yield Text.assemble(*bar, "  ", (view.headline, f"bold {style}"))
    for notice in view.notices[1 if view.unsafe else 0 :]:
        yield Text(f"! {notice}", style="yellow")
    yield Text()


def _exercises(view: Report) -> Iterator[RenderableType]:
    table = Table(box=None, show_header=False, padding=(0, 1), pad_edge=False, expand=True)
    table.add_column(no_wrap=True)
    table.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
    table.add_column(max_width=16, overflow="fold")
    table.add_column(justify="right", no_wrap=True)
    for chapter in view.chapters:
        total = ""  # if nothing counts
        if chapter.max_points:
            total = f"{points(chapter.points)} / {points(chapter.max_points)}"
        table.add_row(Text(chapter.name, style="bold"), "", "", Text(total, style="bold"))
        for exercise in chapter.exercises:
            table.add_row(
                Text(f"  {exercise.id}", style=STATUS_STYLE.get(exercise.status, "")),
                Text(exercise.title, style="dim"),
                _marks(exercise),
                _points(exercise),
            )
    yield table


def _first_failures(view: Report) -> Iterator[RenderableType]:
    """The exercises to look at first, each with its first failed check; others are counted."""
    failing = view.look_first
    if failing:
        yield _heading("Look here first")
    for exercise in failing[:MAX_EXERCISES]:
        check = next((c for c in exercise.checks if c.state == "failed"), None)
        score = f"{points(exercise.points)} of {points(exercise.max_points)}"
        yield Text.assemble((exercise.id, "bold"), f"  {score}")
        if check:
            yield from _check(check)
        if exercise.further:
            yield _indent(Text(exercise.further.text, style="yellow"), 4)
        if exercise.hint:
            yield _indent(Text(f"Hint for the exercise: {exercise.hint}", style="cyan"), 4)
        if exercise.next_step:
            yield _indent(Text(exercise.next_step), 4)
        yield Text()
    statuses = Counter(exercise.status for exercise in view.exercises)
    rest = {"more with failing checks": len(failing) - MAX_EXERCISES}
    rest |= {status: statuses[status] for status in ("not imported", "not started")}
    if words := ", ".join(f"{count} {what}" for what, count in rest.items() if count > 0):
        yield Text(f"Exercises: {words}. One at a time: make test EX=<name>")


def _check(check: CheckView) -> Iterator[RenderableType]:
    worth = f"  {check.worth}" if check.worth else ""
    mark = (check.mark, STATE_STYLE[check.state])
    yield _indent(Text.assemble(mark, f" {check.number}. {check.title}", (worth, "dim")), 2)
    yield _indent(Text(check.words), 4)
    if check.detail:
        yield _indent(Text(_first_lines(check.detail), style="dim"), 6)


def _modules(view: Report) -> Iterator[RenderableType]:
    for heading, style, modules in (
        ("Modules that could not be imported", "red", [m for m in view.modules if not m.ok]),
        ("Modules that were imported, with a warning", "yellow", [m for m in view.modules if m.ok]),
    ):
        if modules:
            yield _heading(heading)
        for module in modules:
            yield Text.assemble((module.module, f"bold {style}"), f"  {module.place}")
            yield _indent(Text(_first_lines(module.message)), 4)


def _list(title: str, items: list[str] | tuple[str, ...], style: str = "") -> list[RenderableType]:
    if not items:
        return []
    return [_heading(title), *(_indent(Text(item, style=style), 2) for item in items)]


def _foot(view: Report) -> Iterator[RenderableType]:
    """What stands below the table: the legend, the tier, the versions, and the headline."""
    tier = f"tier {view.tier}" + (f" ({view.tier_words})" if view.tier_words else "")
    yield Text()
    yield Text("✓ passed  ✗ failed  ○ open: may depend on another  – not measured", style="dim")
    if view.further:
        yield Text("(1 / 2) further exercises, not in the total", style="dim")
    yield Text(f"Isolation: {tier}", style="bold red" if view.unsafe else "dim")
    yield Text(f"{view.handout_words} {view.graded_with}".rstrip(), style="dim")
    yield Text(f"{view.submission}: {view.headline}", style="bold")
    if view.unsafe:
        yield Text(f"\n!!! {view.notices[0]} !!!", style="bold red")


def _indent(text: Text, by: int) -> RenderableType:
    return Padding(text, (0, 0, 0, by), expand=False)


def _heading(title: str) -> RenderableType:
    return Text(f"\n{title}", style="bold underline")


def _marks(exercise: ExerciseView) -> Text:
    if exercise.status.startswith("not"):
        return Text(exercise.status, style="dim")
    return Text.assemble(*((check.mark, STATE_STYLE[check.state]) for check in exercise.checks))


def _points(exercise: ExerciseView) -> Text:
    if not exercise.measured:
        return Text(f"– / {points(exercise.max_points)}", style="dim")
    style = STATUS_STYLE.get(exercise.status, "")
    score = f"{points(exercise.points)} / {points(exercise.max_points)}"
    return Text(score if exercise.core else f"({score})", style=style)


def _first_lines(text: str) -> str:
    lines = text.split("\n")
    if len(lines) <= MAX_LINES:
        return text
    return "\n".join([*lines[:MAX_LINES], f"… {plural(len(lines) - MAX_LINES, 'more line')}"])
