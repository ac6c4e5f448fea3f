"""Loads `assignment.toml`: the exercises, their functions, points, hints and limits."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

MANIFEST = Path(__file__).parent / "assignment.toml"
VERSION_FILE = "handout-version.txt"  # beside the package in submission.zip: the handout's version


class ManifestError(Exception):
    """The manifest cannot be used; the message names the file, the entry and what to do."""


class Limits(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What a test may use: `seconds` of CPU and sleep in all its calls together, `memory_mib` above
    an idle worker."""

    seconds: float
    memory_mib: int
    address_space: bool = True


class LimitOverrides(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The entries of `[limits]` that one exercise sets for itself."""

    seconds: float | None = None
    memory_mib: int | None = None
    address_space: bool | None = None


class Exercise(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One entry of the manifest; `functions` are `module.name` in the student's package."""

    id: str
    title: str
    chapter: str
    functions: tuple[str, ...]
    points: float
    hint: str
    depends_on: tuple[str, ...] = ()
    limits: LimitOverrides = LimitOverrides()
    needs: tuple[Literal["cuda"], ...] = ()

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules that hold the exercise's functions, each once, in order."""
        return tuple(dict.fromkeys(name.partition(".")[0] for name in self.functions))


class Manifest(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The assignment: its package, its exercises in the order of the text, its default limits.

    `budget_seconds` is what tests of one grading that hit their limit may draw together.
    """

    title: str
    package: str
    version: str
    limits: Limits
    exercise: tuple[Exercise, ...]
    budget_seconds: float = 200.0

    def __iter__(self) -> Iterator[Exercise]:
        return iter(self.exercise)

    def __getitem__(self, exercise_id: str) -> Exercise:
        for exercise in self.exercise:
            if exercise.id == exercise_id:
                return exercise
        raise ManifestError(
            f"no exercise is called {exercise_id!r}; the exercises are: "
            + ", ".join(exercise.id for exercise in self.exercise)
        )

    @property
    def without_devices(self) -> Manifest:
        """The same, with every exercise tested on any machine: by all its tests but races."""
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
        """The names that exercises ask for in one module, in order."""
        pairs = (function.split(".") for function in self.functions)
        return tuple(name for where, name in pairs if where == module)

    def limits_of(self, exercise: Exercise) -> Limits:
        """The limits that hold for an exercise: its own where it sets them, else the defaults."""
        own = msgspec.structs.asdict(exercise.limits)
        return msgspec.structs.replace(
            self.limits, **{name: value for name, value in own.items() if value is not None}
        )


def parse(text: str, source: str = "assignment.toml") -> Manifest:
    """Reads a manifest and checks that it hangs together; raises ManifestError if not."""
    try:
        manifest = msgspec.convert(tomllib.loads(text), Manifest)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise ManifestError(f"{source}: {error}") from error
    seen: set[str] = set()
    for exercise in manifest.exercise:
        where = f"{source}: exercise {exercise.id!r}"
        if exercise.id in seen:
            raise ManifestError(f"{where} stands twice; give each its own id")
        if exercise.points <= 0:
            raise ManifestError(f"{where} has {exercise.points} points; expected more than 0")
        if not exercise.functions:
            raise ManifestError(f"{where} names no function; name at least one as module.function")
        for function in exercise.functions:
            if len(parts := function.split(".")) != 2 or not all(p.isidentifier() for p in parts):
                raise ManifestError(f"{where}: expected module.function, got {function!r}")
        for needed in exercise.depends_on:
            if needed not in seen:
                raise ManifestError(
                    f"{where} depends on {needed!r}, which does not stand above it; "
                    "move it up or correct its name"
                )
        seen.add(exercise.id)
    return manifest


@functools.cache
def load() -> Manifest:
    """The manifest beside this file."""
    return parse(MANIFEST.read_text(encoding="utf-8"))
