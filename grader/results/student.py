"""What a student may see of a grade: the one place that decides it.

`report` turns a `Grade` into a `Report`. The renderers for students read only the `Report`, so what
is not in it cannot reach a student: the detail of a hidden check, its time and that of the whole
grading (a submission could sleep for as long as a hidden input is large), the parameters in its
name (a title tells a case only where it says `{case}`), the nonce, the probes, the text of a fault.
Of a public test that ran after the hidden ones it tells which failed, with which seed, and no
message.
"""

from __future__ import annotations

import builtins
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from grader.causes import NAMED_EXCEPTIONS, Cause
from grader.isolation import MEANINGS, UNISOLATED
from grader.results.record import Check, ExerciseScore, FurtherFailure, Grade, ModuleReport, State
from grader.results.text import clean, clean_name, plural, points

UNSAFE = (
    "UNSAFE: graded without isolation (--unsafe). The submission could read the tests and write "
    "its own points, so this score proves nothing."
)
MAX_FILES = 50  # names of left-out files that are shown
MAX_MODULES = 5  # that are named for one message of their imports


def report(grade: Grade, note: str = "", mark: float | None = None) -> Report:
    """Everything that a student may see of a grade, with a note by staff.

    `mark` is what staff made of the score, and is shown in its place.
    """
    if mark is not None and grade.score is not None:
        grade = msgspec.structs.replace(grade, score=mark)
    checks: dict[str, list[CheckView]] = defaultdict(list)
    for check, (module, name) in zip(grade.checks, _names(grade.checks), strict=True):
        public = check.visibility == "public"
        view = CheckView(
            module=module,
            name=name,
            number=len(checks[check.exercise]) + 1,
            title=clean(check.title) or name,
            state=check.state,
            words=_words(check),
            detail=_detail(check),
            public=public,
            seconds=round(check.seconds, 3) if public else None,
            points=check.points,
            max_points=check.max_points,
        )
        checks[check.exercise].append(view)
    causes = causes_of(grade.checks)
    scores = {exercise.id: exercise for exercise in grade.exercises}
    failures = grade.further.failures if grade.further else ()
    further = {failure.exercise: _further(failure) for failure in failures}
    exercises = [
        _exercise(
            exercise,
            tuple(checks[exercise.id]),
            causes[exercise.id],
            further.get(exercise.id),
            [clean(root, 100) for root in roots_of(exercise, scores, causes)],
        )
        for exercise in grade.exercises
    ]
    chapters = dict.fromkeys(exercise.chapter for exercise in exercises)
    further_points = _further_points(grade)
    return Report(
        submission=clean_name(grade.submission) or "submission",
        score=grade.score,
        max_score=grade.max_score,
        headline=_headline(grade, further_points),
        further=further_points,
        notices=tuple(_notices(grade, note)),
        unsafe=grade.isolation.tier == UNISOLATED,
        tier=clean(grade.isolation.tier, 20),
        tier_words=MEANINGS.get(grade.isolation.tier, ""),
        tests=grade.tests,
        chapters=tuple(
            ChapterView(name, tuple(e for e in exercises if e.chapter == name)) for name in chapters
        ),
        modules=tuple(_modules(grade)),
        left_out=_files(grade.left_out),
        started=clean(grade.started, 100),
        version=clean(grade.version, 100),
        handout=_handout(grade),
        graded_with=_graded_with(grade),
    )


def _modules(grade: Grade) -> Iterator[ModuleView]:
    """Each message of an import once: one broken file may keep all modules from being imported."""
    modules: dict[tuple[bool, str, str], list[str]] = {}
    for module in grade.modules:
        if module.message or not module.ok:
            file = clean_name(module.file)
            place = f"{file}:{module.line}" if file and module.line else file
            said = module.ok, place, "\n".join(filter(None, _messages(module, grade)))
            modules.setdefault(said, []).append(clean(module.module, 200))
    for (ok, place, message), names in modules.items():
        more = [f"{len(names) - MAX_MODULES} more"] if len(names) > MAX_MODULES else []
        named = ", ".join([*names[:MAX_MODULES], *more])
        yield ModuleView(module=named, ok=ok, place=place, message=message)


def _messages(module: ModuleReport, grade: Grade) -> Iterator[str]:
    """The message of an import; after a syntax error also which Python found it."""
    yield clean(module.message)
    is_of_syntax = "SyntaxError" in module.message and "as UTF-8" not in module.message
    if is_of_syntax and grade.provenance:
        yield f"The grader has Python {clean(grade.provenance.python, 100)}."


def _words(check: Check) -> str:
    """A sentence on why a check did not pass; "" if it did."""
    if check.state == "passed":
        return ""
    if check.cause is None:
        return "Not measured." if check.state == "not_run" else "Did not pass."
    words = check.cause.words
    if check.cause is Cause.EXCEPTION:
        words = words.removesuffix(".")
        if "refused" in check.title:
            words += ", or a refusal is of another class than the docstring's"
        words += f": {check.exception}." if _is_named(check) else "."
    if check.state != "open":
        return words
    if check.cause is Cause.WRONG_ANSWER:
        return f"Open: a result in it is wrong, perhaps only by check {check.waits_for}'s mistake."
    if check.cause is Cause.NEEDS_WORK:
        return f"Open: it passes, and counts once check {check.waits_for} does."
    return f"Open: it fails as check {check.waits_for} does."


def _detail(check: Check) -> str:
    return clean(check.shown or "") if check.visibility == "public" else ""


def _is_named(check: Check) -> bool:
    """Whether the class of a check's exception is shown: any built-in one, if the check is public.

    Other classes never are: a submission could name one after an input.
    """
    if check.visibility != "public":
        return check.exception in NAMED_EXCEPTIONS
    kind = vars(builtins).get(check.exception or "")
    return isinstance(kind, type) and issubclass(kind, BaseException)


def _names(checks: Iterable[Check]) -> list[tuple[str, str]]:
    """(module, test) of each check, as pytest's `--junitxml` names them.

    The parameters of a hidden test may be inputs, so its cases are numbered instead.
    """
    split = []
    for check in checks:
        test = clean(check.test, 300)
        if check.visibility == "hidden":
            test = test.partition("[")[0]
        module, _, name = test.partition("::")  # a parameter may hold "::" too
        split.append((module, name))
    total, seen = Counter(split), Counter[tuple[str, str]]()
    names = []
    for module, name in split:
        seen[module, name] += 1
        case = f"[{seen[module, name]}]" if total[module, name] > 1 else ""
        names.append((module, name + case))
    return names


def _exercise(
    exercise: ExerciseScore,
    checks: tuple[CheckView, ...],
    causes: set[Cause | None],
    further: FurtherView | None,
    roots: Sequence[str],
) -> ExerciseView:
    status = _status(exercise, checks, causes)
    hint = clean(exercise.hint)
    if roots and Cause.IMPORT_FAILED not in causes:
        many = len(roots) > 1
        named = f"the exercise{'s' * many} " + ", ".join(f"`{root}`" for root in roots)
        of_its_own = "" if causes == {Cause.UNFINISHED} else f" {hint}"
        hint = (
            f"It may build on {named}, which {'are' if many else 'is'} not right yet.{of_its_own}"
        )
    tried = ("partly", "failed")
    return ExerciseView(
        id=clean(exercise.id, 100),
        title=clean(exercise.title, 200),
        chapter=clean(exercise.chapter, 100),
        points=exercise.points,
        max_points=exercise.max_points,
        core=exercise.core,
        status=status,
        hint=hint if status not in ("complete", "not measured") else "",
        checks=checks,
        further=further if status in tried else None,
        next_step="" if further or status not in tried else _next_step(exercise, checks, roots),
        roots=tuple(roots),
        calls_stub=bool(roots) and causes <= {Cause.NOT_STARTED, Cause.UNFINISHED},
    )


def causes_of(checks: Iterable[Check]) -> dict[str, set[Cause | None]]:
    """For each exercise the causes of its checks that have not passed, public ones too."""
    found: dict[str, set[Cause | None]] = defaultdict(set)
    for check in checks:
        if check.state != "passed":
            found[check.exercise].add(check.cause)
    return found


def roots_of(
    exercise: ExerciseScore,
    scores: Mapping[str, ExerciseScore],
    causes: Mapping[str, set[Cause | None]],
) -> list[str]:
    """The exercises that this one builds on and that are not right, deepest first.

    A stub builds on nothing. One whose only cause is UNFINISHED calls one that is not right.
    """
    found: dict[str, None] = {}
    for needed in exercise.builds_on:
        score, why = scores.get(needed), causes.get(needed)
        if score is not None and score.measured:
            if why != {Cause.NOT_STARTED}:
                found |= dict.fromkeys(roots_of(score, scores, causes))
            if why and why != {Cause.UNFINISHED}:
                found[needed] = None
    return list(found)


def _next_step(exercise: ExerciseScore, checks: Iterable[CheckView], roots: Sequence[str]) -> str:
    """Says where a student can see a failure: at home, or in the grader alone.

    The rules that the grader alone tests explain nothing if the failure comes from `roots`.
    """
    public = [check for check in checks if check.public]
    if any(check.state == "failed" for check in public):
        return f"See it at home: `make test EX={clean(exercise.id, 100)}`"
    if not public:
        return ""
    rules = "; ".join(clean(rule) for rule in exercise.grader_only)
    alone = "Your public tests pass: what fails is tested by the grader alone"
    return f"{alone}, for example: {rules}." if rules and not roots else f"{alone}."


def _further(failure: FurtherFailure) -> FurtherView:
    """What a student sees of a failure with a further seed: nothing that the submission said."""
    return FurtherView(
        words=f"A public test fails for another input: {clean(failure.title)}",
        command=f"make test EX={clean(failure.exercise, 100)} SEED={failure.seed}",
    )


def _status(
    exercise: ExerciseScore, checks: tuple[CheckView, ...], causes: set[Cause | None]
) -> Status:
    states = {check.state for check in checks}
    if not exercise.measured:
        return "not measured"
    if states == {"passed"} or exercise.points == exercise.max_points:
        return "complete"
    if "passed" in states and exercise.points > 0:
        return "partly"
    if causes == {Cause.IMPORT_FAILED}:
        return "not imported"
    return "not started" if causes == {Cause.NOT_STARTED} else "failed"


def _headline(grade: Grade, further: str) -> str:
    if grade.score is None:
        return "No score"
    headline = f"{points(grade.score)} of {points(grade.max_score)} points"
    return f"{headline}, further: {further}" if further else headline


def _further_points(grade: Grade) -> str:
    """The points of the further exercises, which are not in the total; "" if there are none."""
    found = [exercise for exercise in grade.exercises if exercise.measured and not exercise.core]
    if not found:
        return ""
    return f"{points(sum(e.points for e in found))} of {points(sum(e.max_points for e in found))}"


def _notices(grade: Grade, note: str) -> Iterable[str]:
    """What every output must show."""
    if grade.isolation.tier == UNISOLATED:
        yield UNSAFE
    if note:
        yield note
    if grade.score is None:
        yield "No score was given, because the grader failed. This is not a zero."
    if grade.faults:
        faults = plural(len(grade.faults), "internal fault")
        yield f"The grader had {faults}; staff can see the details."
    for core, why in ((True, ", and left out of the total"), (False, " of the further exercises")):
        found = [one for one in grade.exercises if not one.measured and one.core is core]
        worth = points(sum(exercise.max_points for exercise in found))
        names = ", ".join(clean(exercise.id, 100) for exercise in found)
        if found:
            yield f"Not measured here{why}: {names} ({worth} points)."
    if notice := _another_handout(_handout(grade), clean(grade.version, 100)):
        yield notice
    if grade.tests == "public":
        yield "Public tests only: the graded tests were not run."


def _handout(grade: Grade) -> str:
    return clean((grade.provenance and grade.provenance.handout) or "", 100)


def _graded_with(grade: Grade) -> str:
    """A sentence on the versions it was graded with, which may differ from those at home."""
    if (found := grade.provenance) is None:
        return ""
    versions = f"Python {found.python}, torch {found.torch}, grader {found.grader}"
    return clean(f"Graded with {versions}.", 200)


def _another_handout(made_with: str, graded_by: str) -> str:
    """A notice if the submission was made with another version of the handout; else ""."""
    if not made_with or made_with == graded_by:
        return ""
    older = _release(made_with) < _release(graded_by)
    advice = (
        "If a test is unexpected, see the handout's CHANGELOG.md for what changed since."
        if older
        else "Please tell the course staff, who may have to update the grader."
    )
    return f"Made with handout {made_with}, graded with version {graded_by}. {advice}"


def _release(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d{1,9}", version)]


def _files(names: tuple[str, ...]) -> tuple[str, ...]:
    shown = tuple(clean_name(name) for name in names[:MAX_FILES])
    more = len(names) - len(shown)
    return (*shown, f"… and {more} more") if more else shown


Status = Literal["complete", "partly", "failed", "not imported", "not started", "not measured"]
MARKS: dict[State, str] = {"passed": "✓", "failed": "✗", "open": "○", "not_run": "–"}


@dataclass(frozen=True)
class CheckView:
    """One check."""

    module: str
    name: str  # the test's; of a hidden one with its case's number in place of parameters
    number: int  # its place in the exercise
    title: str
    state: State
    words: str
    detail: str
    public: bool
    seconds: float | None  # None if it is hidden; public ones have all ended before such start
    points: float
    max_points: float

    @property
    def worth(self) -> str:
        """`0 / 0.25`, of a check that carries points; else ""."""
        if not self.max_points:
            return ""
        return f"{points(self.points)} / {points(self.max_points)}"

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
    """One exercise. `hint`, `further` and `next_step` are empty if there is nothing to correct."""

    id: str
    title: str
    chapter: str
    points: float
    max_points: float
    core: bool
    status: Status
    hint: str
    checks: tuple[CheckView, ...]
    further: FurtherView | None = None
    next_step: str = ""
    roots: tuple[str, ...] = ()  # exercises that it may build on that are not right
    calls_stub: bool = False  # it fails only because something that it calls is a stub

    @property
    def measured(self) -> bool:
        return self.status != "not measured"

    @property
    def counts(self) -> bool:
        """Whether its points are in the total."""
        return self.measured and self.core

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
        """One line for an exercise of which nothing ran, if all checks say the same; else ""."""
        if not self.status.startswith("not") or len({check.words for check in self.checks}) != 1:
            return ""
        left_out = f"Not measured here: {points(self.max_points)} points left out."
        details = {check.detail for check in self.checks if check.detail}
        parts = [
            *([] if self.measured else [left_out]),
            self.checks[0].words,
            *(f"{' '.join(detail.split())}." for detail in details if len(details) == 1),
            *([f"Hint for the exercise: {self.hint}"] if self.hint else []),
        ]
        return " ".join(parts)


@dataclass(frozen=True)
class ChapterView:
    """The exercises of one chapter; its points are those in the total."""

    name: str
    exercises: tuple[ExerciseView, ...]

    @property
    def points(self) -> float:
        return sum(exercise.points for exercise in self.exercises if exercise.counts)

    @property
    def max_points(self) -> float:
        return sum(exercise.max_points for exercise in self.exercises if exercise.counts)

    @property
    def share(self) -> float:
        return _share(self.points, self.max_points)


@dataclass(frozen=True)
class ModuleView:
    """The message of an import, which is shown: the worker had received nothing secret by then."""

    module: str  # or several, that have the same message
    ok: bool
    place: str
    message: str


@dataclass(frozen=True)
class Report:
    """A grade as its student may see it. Every text went through `text.clean`.

    Every output must show `notices`, and make `unsafe` hard to miss. `started` is the only time of
    the grading as a whole: how long it took depends on its hidden tests.
    """

    submission: str
    score: float | None
    max_score: float
    headline: str
    further: str
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
    graded_with: str

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
    def look_first(self) -> tuple[ExerciseView, ...]:
        """What was tried and is not complete: core first, then by the points still to be won.

        What builds on one of these may be right: it is left out until that one is.
        """
        tried = {e.id: e for e in self.exercises if e.status in ("partly", "failed")}
        first = [e for e in tried.values() if not (e.calls_stub or tried.keys() & set(e.roots))]
        shown = first or tried.values()
        return tuple(sorted(shown, key=lambda e: (not e.core, e.points - e.max_points)))

    @property
    def share(self) -> float:
        return _share(self.score or 0.0, self.max_score)


def _share(part: float, whole: float) -> float:
    return min(max(part / whole, 0.0), 1.0) if whole > 0 else 0.0
