"""A grade as its student may see it: what `student.report` makes and every renderer reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from grader.results.record import State
from grader.results.text import points

Status = Literal["complete", "partly", "failed", "not started", "not run", "not measured"]
MARKS: dict[State, str] = {"passed": "✓", "failed": "✗", "not_run": "–"}


@dataclass(frozen=True)
class CheckView:
    """One check; `name` is the test's, without parameters.

    `seconds` is None for a hidden one. Public ones have all ended before a hidden one starts.
    """

    module: str
    name: str
    title: str
    state: State
    words: str
    detail: str
    public: bool
    seconds: float | None

    @property
    def mark(self) -> str:
        return MARKS[self.state]

    @property
    def text(self) -> str:
        return "\n".join(filter(None, (self.words, self.detail)))


@dataclass(frozen=True)
class FurtherView:
    """A public test that fails with another seed; `words` tell it, `command` repeats it."""

    words: str
    command: str

    @property
    def text(self) -> str:
        return f"{self.words}\nSee it at home: {self.command}"


@dataclass(frozen=True)
class ExerciseView:
    """One exercise. `hint` and `further` are empty unless there is something to correct."""

    id: str
    title: str
    chapter: str
    points: float
    max_points: float
    status: Status
    hint: str
    checks: tuple[CheckView, ...]
    further: FurtherView | None = None

    @property
    def measured(self) -> bool:
        return self.status != "not measured"

    @property
    def share(self) -> float:
        """Earned points / points of the exercise, from 0 to 1."""
        return _share(self.points, self.max_points)

    @property
    def shared_words(self) -> str:
        """The text of all checks if it is the same for each, to show it once; else ""."""
        words = {check.text for check in self.checks}
        return words.pop() if len(words) == 1 and len(self.checks) > 1 else ""

    @property
    def sentence(self) -> str:
        """One line for an exercise that was not started, not run or not measured; else ""."""
        if not self.status.startswith("not") or len({check.words for check in self.checks}) != 1:
            return ""
        left_out = f"Not measured here: {points(self.max_points)} points left out."
        details = {check.detail for check in self.checks if check.detail}
        parts = [
            *([] if self.measured else [left_out]),
            self.checks[0].words,
            *(f"{' '.join(detail.split())}." for detail in details if len(details) == 1),
            *([f"Hint: {self.hint}"] if self.hint else []),
        ]
        return " ".join(parts)


@dataclass(frozen=True)
class ChapterView:
    """The exercises of one chapter; its points are those of the measured ones."""

    name: str
    exercises: tuple[ExerciseView, ...]

    @property
    def points(self) -> float:
        return sum(exercise.points for exercise in self.exercises if exercise.measured)

    @property
    def max_points(self) -> float:
        return sum(exercise.max_points for exercise in self.exercises if exercise.measured)

    @property
    def share(self) -> float:
        return _share(self.points, self.max_points)


@dataclass(frozen=True)
class ModuleView:
    """The message of an import, uncut: the worker had received nothing secret by then."""

    module: str  # or several, that have the same message
    ok: bool
    place: str
    message: str


@dataclass(frozen=True)
class Report:
    """A grade as its student may see it. Every text went through `text.clean`.

    Every output must show `notices`, and make `unsafe` hard to miss. `started` is the only time of
    the grading: how long it took depends on its hidden tests.
    """

    submission: str
    score: float | None
    max_score: float
    headline: str
    notices: tuple[str, ...]
    unsafe: bool
    tier: str
    tier_words: str
    tests: str
    chapters: tuple[ChapterView, ...]
    modules: tuple[ModuleView, ...]
    left_out: tuple[str, ...]
    started: str
    version: str
    handout: str

    @property
    def handout_words(self) -> str:
        """A sentence on the handout version that the submission names, or that it names none."""
        if self.handout:
            return f"Made with handout {self.handout}."
        return (
            "The submission does not say which handout it was made with; "
            "a packed submission.zip does."
        )

    @property
    def exercises(self) -> tuple[ExerciseView, ...]:
        return tuple(exercise for chapter in self.chapters for exercise in chapter.exercises)

    @property
    def share(self) -> float:
        return _share(self.score or 0.0, self.max_score)


def _share(part: float, whole: float) -> float:
    return min(max(part / whole, 0.0), 1.0) if whole > 0 else 0.0
