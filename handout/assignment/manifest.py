"""Loads `assignment.toml`: the exercises, their functions, points, hints and limits.

A mistake in it is reported to its author in one line: file, line, key, what is allowed, what was
found.
"""

from __future__ import annotations

import difflib
import functools
import math
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta

from assignment.toml_lines import line_of

MANIFEST = Path(__file__).parent / "assignment.toml"
VERSION_FILE = "handout-version.txt"  # in submission.zip beside the package: the handout's version
SOURCE = f"{MANIFEST.parent.name}/{MANIFEST.name}"  # its name in messages
AUTHORS = "a mistake of the assignment's author, not of a submission: "

Seconds = Annotated[float, Meta(gt=0, le=3600)]
Mebibytes = Annotated[int, Meta(gt=0, le=2**20)]
Points = Annotated[float, Meta(gt=0, le=10_000)]
Minutes = Annotated[int, Meta(gt=0, le=10_000)]
Total = Annotated[float, Meta(ge=0, le=10_000)]
Device = Literal["cuda"]  # what an exercise may need
Keys = Sequence[str | int]  # a position in the file: keys, and indices of tables in an array


class ManifestError(Exception):
    """A mistake of the assignment's author; the message is one line and says what to correct."""


class Limits(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What a test may use: `seconds` of CPU and sleep in all its calls together, and `memory_mib`
    more than an idle worker: of all address space, or else of private memory that can be written.
    Without `files` it writes none, which would count as no memory."""

    seconds: Seconds
    memory_mib: Mebibytes
    address_space: bool = True
    files: bool = True


class LimitOverrides(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The entries of `[limits]` that one exercise overrides."""

    seconds: Seconds | None = None
    memory_mib: Mebibytes | None = None
    address_space: bool | None = None
    files: bool | None = None


class Exercise(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One entry of the manifest; `functions` are `module.name` in the student's package.

    `minutes` is what it takes a student, text and docstring included. `core` exercises make the
    total; the others, the further ones, are listed beside it. `grader_only` are rules that hidden
    tests check and no public test does, in words. `work` is the exercise's defining work, for
    staff: no points without it.
    """

    id: Annotated[str, Meta(pattern=r"^\w+$")]
    title: str
    chapter: str
    functions: Annotated[tuple[str, ...], Meta(min_length=1)]
    points: Points
    hint: str
    minutes: Minutes | None = None
    core: bool = True
    work: str = ""
    depends_on: tuple[str, ...] = ()
    grader_only: tuple[str, ...] = ()
    limits: LimitOverrides = LimitOverrides()
    needs: tuple[Device, ...] = ()

    @property
    def worth(self) -> str:
        """Its points in words: `2 points`; of a further exercise `1 point, further`."""
        points = f"{self.points:g} point{'' if self.points == 1 else 's'}"
        return points if self.core else f"{points}, further"

    @property
    def takes(self) -> str:
        """Its minutes in words, or "" if nobody kept count."""
        return f"{self.minutes} min" if self.minutes else ""

    @property
    def only_races(self) -> bool:
        """Whether it races functions that other exercises ask for: there is nothing to write."""
        return bool(self.needs and self.depends_on)

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules with the exercise's functions, each once, in order."""
        return tuple(dict.fromkeys(name.partition(".")[0] for name in self.functions))

    def names_in(self, module: str) -> list[str]:
        """The exercise's functions in a module, without the module's name."""
        pairs = (function.split(".") for function in self.functions)
        return [name for where, name in pairs if where == module]


class Manifest(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The assignment: its package, its exercises in the order of the text, its default limits.

    `points` is the sum over the core exercises that any machine can grade, `cuda_points` over those
    that need a CUDA device. The tests of an exercise may use `exercise_seconds` together, or 20
    times what the reference needs; those that need more share `budget_seconds` in one grading.
    """

    title: str
    package: str
    version: str
    points: Total
    limits: Limits
    exercise: tuple[Exercise, ...]
    exercise_seconds: Seconds = 2.0
    budget_seconds: Seconds = 200.0
    cuda_points: Total = 0

    def __iter__(self) -> Iterator[Exercise]:
        return iter(self.exercise)

    def __getitem__(self, exercise_id: str) -> Exercise:
        """The exercise with this id; raises ManifestError, not KeyError, if there is none."""
        for exercise in self.exercise:
            if exercise.id == exercise_id:
                return exercise
        raise ManifestError(self._unknown("exercise", exercise_id))

    def named(self, name: str) -> tuple[Exercise, ...]:
        """The exercise of this name, or those of this chapter, or those of this function.

        Raises ManifestError, which offers the nearest names, if there is none.
        """
        for names_of in (
            lambda e: (e.id,),
            lambda e: (e.chapter,),
            lambda e: [function.partition(".")[2] for function in e.functions],
        ):
            if found := tuple(e for e in self.exercise if name in names_of(e)):
                return found
        raise ManifestError(self._unknown("exercise or chapter", name))

    def _unknown(self, what: str, name: str) -> str:
        """A message that there is no such `what`, with the nearest names, of any kind."""
        known = {e.id: e.id for e in self.exercise} | {e.chapter: e.chapter for e in self.exercise}
        for exercise in self.exercise:
            for function in exercise.functions:
                known.setdefault(function.partition(".")[2], exercise.id)
        near = [name] if name in known else difflib.get_close_matches(name, known, n=3)
        meant = ", ".join(dict.fromkeys(known[one] for one in near))
        suggestion = f" Did you mean: {meant}?" if meant else ""
        return f"no {what} is called {name!r}.{suggestion}"

    @property
    def for_any_machine(self) -> Manifest:
        """The same, with every exercise tested on any machine: by all its tests except races.

        Exercises that needed a device get the usual limits.
        """
        return msgspec.structs.replace(
            self,
            exercise=tuple(
                msgspec.structs.replace(e, needs=(), limits=LimitOverrides()) if e.needs else e
                for e in self.exercise
            ),
        )

    @property
    def modules(self) -> tuple[str, ...]:
        """Every module of the student's package that an exercise names, in order."""
        return tuple(dict.fromkeys(m for exercise in self.exercise for m in exercise.modules))

    @property
    def functions(self) -> tuple[str, ...]:
        """Every `module.name` that an exercise names, in order."""
        return tuple(dict.fromkeys(f for exercise in self.exercise for f in exercise.functions))

    def functions_of(self, module: str) -> tuple[str, ...]:
        """The functions of one module that exercises name, in order."""
        return tuple(dict.fromkeys(name for e in self.exercise for name in e.names_in(module)))

    def limits_of(self, exercise: Exercise) -> Limits:
        """The limits of an exercise: its own where it sets them, else the defaults."""
        own = msgspec.structs.asdict(exercise.limits)
        return msgspec.structs.replace(
            self.limits, **{name: value for name, value in own.items() if value is not None}
        )


def parse(text: str, source: str = MANIFEST.name) -> Manifest:
    """Reads a manifest and checks that it is consistent; raises ManifestError if not."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"at line (\d+)", str(error))
        line = int(at[1]) if at else text.count("\n") + 1  # "at end of document"
        raise ManifestError(f"{source}:{line}: not TOML: {error}") from error
    try:
        manifest = msgspec.convert(data, Manifest)
    except msgspec.ValidationError as error:
        path, problem = _invalid(str(error), data)
        raise ManifestError(_format(path, problem, data, text, source)) from error
    for path, problem in _mistakes(manifest):
        raise ManifestError(_format(path, problem, data, text, source))
    return manifest


@functools.cache
def load() -> Manifest:
    """The manifest beside this file, read once; raises ManifestError."""
    try:
        text = MANIFEST.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ManifestError(f"{SOURCE} cannot be read: {error}") from error
    return parse(text, SOURCE)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A suggestion to add to a message about an unknown name; empty if no known name is close."""
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _format(path: Keys, problem: str, data: dict[str, Any], text: str, source: str) -> str:
    """One line: `assignment.toml:26: exercise 'tensor_bytes', points: expected …, got …`."""
    rest, where = list(path), []
    if rest[:1] == ["exercise"] and len(rest) > 1:
        exercise = data["exercise"][rest[1]]
        name = exercise.get("id", rest[1]) if isinstance(exercise, dict) else rest[1]
        where, rest = [f"exercise {name!r}"], rest[2:]
    key = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in rest)
    where += [key.removeprefix(".")] if key else []
    return ": ".join(filter(None, (f"{source}:{line_of(text, path)}", ", ".join(where), problem)))


def _invalid(message: str, data: dict[str, Any]) -> tuple[Keys, str]:
    """The position and the problem that the message of a msgspec.ValidationError tells.

    The message ends with the position, as in "Expected `float` > 0.0 - at `$.exercise[3].points`".
    """
    message, _, place = message.partition(" - at `$")
    path: list[str | int] = [
        int(index) if index else key for key, index in re.findall(r"\.(\w+)|\[(\d+)\]", place)
    ]
    if missing := re.search(r"missing required field `(.*)`", message):
        return path, f"the key {missing[1]} is missing"
    if unknown := re.search(r"unknown field `(.*)`", message):
        known = _TABLES[tuple(step for step in path if isinstance(step, str))].__struct_fields__
        close = did_you_mean(unknown[1], known)
        return [*path, unknown[1]], f"no such key{close}; allowed are {', '.join(known)}"
    value: Any = data
    for step in path:
        value = value[step]
    shown = value if isinstance(value, float | int) else repr(value)[:60]
    if message.startswith("Invalid enum value"):
        message = f"Expected {' or '.join(map(repr, get_args(Device)))}"
    expected = re.sub(", got `.*`$", "", message)  # the type that was found; we show the value
    return path, f"{expected[:1].lower()}{expected[1:]}, got {shown}"


_TABLES: dict[tuple[str, ...], type[msgspec.Struct]] = {
    (): Manifest,
    ("limits",): Limits,
    ("exercise",): Exercise,
    ("exercise", "limits"): LimitOverrides,
}


def _mistakes(manifest: Manifest) -> Iterator[tuple[Keys, str]]:
    """Yields the key and the problem of each mistake that the types allow, such as a wrong sum."""
    seen: set[str] = set()
    for i, exercise in enumerate(manifest.exercise):
        at = ("exercise", i)
        if exercise.id in seen:
            yield (*at, "id"), "an exercise above has this id; give each its own"
        for function in exercise.functions:
            if len(parts := function.split(".")) != 2 or not all(p.isidentifier() for p in parts):
                yield (*at, "functions"), f"expected module.name, got {function!r}"
        for n, rule in enumerate(exercise.grader_only):
            if not rule.strip() or rule in exercise.grader_only[:n]:
                yield (*at, "grader_only"), f"expected rules in words, each once, got {rule!r}"
        for needed in exercise.depends_on:
            if needed not in seen:
                offered = did_you_mean(needed, seen)
                problem = f"expected ids of exercises above, got {needed!r}{offered}"
                yield (*at, "depends_on"), problem
        seen.add(exercise.id)
    for key, declared, which in (
        ("points", manifest.points, "any machine can grade"),
        ("cuda_points", manifest.cuda_points, "need a CUDA device"),
    ):
        core = (e for e in manifest if e.core)
        found = sum(e.points for e in core if bool(e.needs) == (key == "cuda_points"))
        if not math.isclose(found, declared, abs_tol=1e-6):
            yield (
                (key,),
                f"expected {found:g}, the sum over the core exercises that {which}, got "
                f"{declared:g}; correct it, or the points of an exercise",
            )
