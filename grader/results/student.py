"""What a student may see of a grade: the one place that decides it.

`student_text` turns a check into words, and `report` a whole `Grade` into a `Report`. The renderers
for students read the `Report` alone, so what is not in it cannot reach a student: the detail of a
hidden check, its time (a submission could sleep for as long as a hidden input is large), the
parameters in its name, the nonce, the probes, the text of a fault.
"""

from __future__ import annotations

import builtins
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from grader.isolation import MEANINGS
from grader.results.causes import WORDS, Cause
from grader.results.record import Check, ExerciseScore, Grade, State

Standing = Literal["complete", "partly", "failed", "not started", "not run", "not measured"]

MARKS: dict[State, str] = {"passed": "✓", "failed": "✗", "not_run": "–"}
UNSAFE = (
    "UNSAFE: graded without isolation (--unsafe). The submission could read the tests and write "
    "its own points, so this score proves nothing."
)
LIMIT = 4000  # characters of one text that a submission had a part in
FILES = 50  # names of left-out files


@dataclass(frozen=True)
class CheckView:
    """One check. `seconds` is None for a hidden one; `name` is the test's, without parameters."""

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
class ExerciseView:
    """One exercise. `hint` is empty unless there is something to mend."""

    id: str
    title: str
    chapter: str
    points: float
    max_points: float
    standing: Standing
    hint: str
    checks: tuple[CheckView, ...]

    @property
    def measured(self) -> bool:
        return self.standing != "not measured"

    @property
    def share(self) -> float:
        """Of the points, from 0 to 1."""
        return _share(self.points, self.max_points)

    @property
    def shared_words(self) -> str:
        """The words, where every check says the same and nothing else; they are then said once."""
        words = {check.text for check in self.checks}
        return words.pop() if len(words) == 1 and len(self.checks) > 1 else ""

    @property
    def sentence(self) -> str:
        """Of an exercise that nobody tried yet, or that could not be tried: all in one line."""
        if not self.standing.startswith("not") or len({check.words for check in self.checks}) != 1:
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
    """What importing a module said: whole, since nothing secret was near by then."""

    module: str
    ok: bool
    place: str
    message: str


@dataclass(frozen=True)
class Report:
    """A grade as its student may see it; every text is clean (see `clean`).

    `notices` must be said on every output, `unsafe` loudly. `seconds` is whole.
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
    seconds: int
    started: str
    version: str
    handout: str

    @property
    def handout_words(self) -> str:
        """With which handout the submission was made, as it says itself."""
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


def student_text(check: Check) -> str:
    """What a student reads below a check's title.

    For a hidden check it follows from (state, cause, built-in exception) alone. A public check,
    which the student can run at home, adds what is to be shown of it.
    """
    return "\n".join(filter(None, (_words(check), _detail(check))))


def report(grade: Grade) -> Report:
    """All that a student may see of a grade."""
    names = _names(grade.checks)
    checks: dict[str, list[CheckView]] = {}
    for check, (module, name) in zip(grade.checks, names, strict=True):
        public = check.visibility == "public"
        view = CheckView(
            module=module,
            name=name,
            title=clean(check.title) or name,
            state=check.state,
            words=_words(check),
            detail=_detail(check),
            public=public,
            seconds=round(check.seconds, 3) if public else None,
        )
        checks.setdefault(check.exercise, []).append(view)
    causes = {exercise.id: set[Cause | None]() for exercise in grade.exercises}
    for check in grade.checks:
        if check.state != "passed":
            causes.setdefault(check.exercise, set()).add(check.cause)
    exercises = [
        _exercise(exercise, tuple(checks.get(exercise.id, ())), causes[exercise.id])
        for exercise in grade.exercises
    ]
    order = {exercise.chapter: None for exercise in exercises}
    return Report(
        submission=clean(grade.submission, 200) or "submission",
        score=grade.score,
        max_score=grade.max_score,
        headline=_headline(grade),
        notices=tuple(_notices(grade)),
        unsafe=grade.isolation.tier == "none",
        tier=clean(grade.isolation.tier, 20),
        tier_words=MEANINGS.get(grade.isolation.tier, ""),
        tests=grade.tests,
        chapters=tuple(
            ChapterView(name, tuple(e for e in exercises if e.chapter == name)) for name in order
        ),
        modules=tuple(
            ModuleView(
                module=clean(module.module, 200),
                ok=module.ok,
                place=_place(clean(module.file, 200), module.line),
                message=clean(module.message),
            )
            for module in grade.modules
            if module.message or not module.ok
        ),
        left_out=_files(grade.left_out),
        seconds=math.ceil(grade.seconds),
        started=clean(grade.started, 100),
        version=clean(grade.version, 100),
        handout=_handout(grade),
    )


def points(value: float) -> str:
    """Points as people write them: 3, 2.5, 0.67."""
    return f"{value:.2f}".rstrip("0").rstrip(".") or "0"


def plural(count: int, noun: str) -> str:
    """`1 file`, `3 files`."""
    return f"{count} {noun}" + ("" if count == 1 else "s")


def clean(text: str, limit: int = LIMIT) -> str:
    """Text that a submission had a part in, fit for a terminal, XML and a page.

    Terminal sequences go whole, then every control character but line feed and tab; characters
    that turn the writing direction go too. What cannot be encoded becomes U+FFFD. Cut at `limit`.
    """
    text = _SEQUENCE.sub("", text[: 4 * limit])
    text = re.sub("\r\n?|[\u2028\u2029\x85\v\f]", "\n", text)
    text = "".join(_printable(character) for character in text)
    text = "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))
    return text if len(text) <= limit else text[:limit].rstrip() + " … (cut)"


_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, the cursor, erasing
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"  # OSC, DCS
    r"|\x1b[ -/]*[0-~]"  # two characters: reset, charset
)
_DIRECTION = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def _printable(character: str) -> str:
    if character in "\n\t":
        return character
    category = unicodedata.category(character)
    if category == "Cc" or character in _DIRECTION:
        return ""
    unencodable = category == "Cs" or ord(character) & 0xFFFE == 0xFFFE
    return "\ufffd" if unencodable else character


def _words(check: Check) -> str:
    if check.state == "passed":
        return ""
    if check.cause is None:
        return "Did not pass." if check.state == "failed" else "Not run."
    words = WORDS[check.cause]
    if check.cause is Cause.EXCEPTION and _is_builtin_exception(check.exception):
        return f"{words.removesuffix('.')}: {check.exception}."
    return words


def _detail(check: Check) -> str:
    return clean(check.shown or "") if check.visibility == "public" else ""


def _is_builtin_exception(name: str | None) -> bool:
    """A class of the submission's own could be named after a hidden input."""
    kind = vars(builtins).get(name or "")
    return isinstance(kind, type) and issubclass(kind, BaseException)


def _names(checks: Iterable[Check]) -> list[tuple[str, str]]:
    """(module, test) of each check, as pytest's `--junitxml` names them.

    The parameters of a parametrized hidden test are inputs; its cases are numbered instead.
    """
    split = []
    for check in checks:
        test = clean(check.test, 300)
        if check.visibility == "hidden":
            test = test.partition("[")[0]  # first: a parameter may hold "::" too
        path, _, name = test.rpartition("::")
        split.append((path.removesuffix(".py").replace("::", ".").replace("/", "."), name))
    total, seen = Counter(split), Counter[tuple[str, str]]()
    names = []
    for module, name in split:
        seen[module, name] += 1
        case = f"[{seen[module, name]}]" if total[module, name] > 1 else ""
        names.append((module, name + case))
    return names


def _exercise(
    exercise: ExerciseScore, checks: tuple[CheckView, ...], causes: set[Cause | None]
) -> ExerciseView:
    standing = _standing(exercise, checks, causes)
    return ExerciseView(
        id=clean(exercise.id, 100),
        title=clean(exercise.title, 200),
        chapter=clean(exercise.chapter, 100),
        points=exercise.points,
        max_points=exercise.max_points,
        standing=standing,
        hint=clean(exercise.hint) if standing in ("partly", "failed", "not started") else "",
        checks=checks,
    )


def _standing(
    exercise: ExerciseScore, checks: tuple[CheckView, ...], causes: set[Cause | None]
) -> Standing:
    states = {check.state for check in checks}
    if not exercise.measured:
        return "not measured"
    if states <= {"not_run"}:
        return "not run"
    if states == {"passed"}:
        return "complete"
    if "passed" in states:
        return "partly"
    return "not started" if causes == {Cause.NOT_STARTED} else "failed"


def _headline(grade: Grade) -> str:
    if grade.score is None:
        return "No score"
    return f"{points(grade.score)} of {points(grade.max_score)} points"


def _notices(grade: Grade) -> Iterable[str]:
    """What no output may leave out."""
    if grade.isolation.tier == "none":
        yield UNSAFE
    if grade.score is None:
        yield "No score was given: the grader met a fault of its own. This is not a zero."
    if grade.faults:
        yield f"The grader met {plural(len(grade.faults), 'fault')} of its own; staff see which."
    unmeasured = [exercise for exercise in grade.exercises if not exercise.measured]
    if unmeasured:
        worth = points(sum(exercise.max_points for exercise in unmeasured))
        yield (
            f"Left out of the total, since not measured here: "
            f"{', '.join(clean(exercise.id, 100) for exercise in unmeasured)} ({worth} points)."
        )
    if notice := _another_handout(_handout(grade), clean(grade.version, 100)):
        yield notice
    if grade.tests == "public":
        yield "Public tests only: the graded tests were not run."


def _handout(grade: Grade) -> str:
    return clean((grade.provenance and grade.provenance.handout) or "", 100)


def _another_handout(made_with: str, graded_by: str) -> str:
    """What to say of a submission that was made with another version of the handout; or ""."""
    if not made_with or made_with == graded_by:
        return ""
    older = _release(made_with) < _release(graded_by)
    advice = (
        "If a test surprises you: its CHANGELOG.md says what changed since."
        if older
        else "Please tell the course staff, who may have to update the grader."
    )
    return f"Made with handout {made_with}, graded with version {graded_by} of it. {advice}"


def _release(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d{1,9}", version)]


def _place(file: str, line: int) -> str:
    return f"{file}:{line}" if file and line else file


def _files(names: tuple[str, ...]) -> tuple[str, ...]:
    shown = tuple(clean(name, 200).replace("\n", " ") for name in names[:FILES])
    more = len(names) - len(shown)
    return (*shown, f"… and {more} more") if more else shown


def _share(part: float, whole: float) -> float:
    return min(max(part / whole, 0.0), 1.0) if whole > 0 else 0.0
