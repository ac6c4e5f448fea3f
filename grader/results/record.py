"""The one record of a grading. Every output is a pure function of it."""

from __future__ import annotations

import math
from typing import Any, Literal

import msgspec

from grader.results.causes import Cause

State = Literal["passed", "failed", "not_run"]
Visibility = Literal["public", "hidden"]


class _Finite(msgspec.Struct, frozen=True, kw_only=True):
    """Refuses nan and infinity with a ValueError: msgspec would write both as null, and null
    as a score means a fault of the grader."""

    def __post_init__(self) -> None:
        for field in self.__struct_fields__:
            value = getattr(self, field)
            if isinstance(value, float) and not math.isfinite(value):
                raise ValueError(f"{type(self).__name__}.{field} is {value}, not a finite number")


class Check(_Finite, frozen=True, kw_only=True):
    """One test. `points` of a not-run check is 0, `max_points` its share of the exercise.

    A race, or a fit into memory, that earns a part of its points has failed, and says how far in
    `timing` or `fit`.
    `exception` is the nearest built-in class's name, only with the cause `exception`.
    `detail` is for staff alone; `shown` is what the student reads, and None for a hidden test.
    `seconds` is wall time, `charged` the CPU time of the submission's processes and the time they
    were asleep.
    """

    exercise: str
    test: str
    title: str
    state: State
    points: float
    max_points: float
    cause: Cause | None = None
    exception: str | None = None
    detail: str | None = None
    shown: str | None = None
    seconds: float = 0.0
    charged: float = 0.0
    visibility: Visibility = "hidden"
    timing: Timing | None = None
    fit: Fit | None = None


class Quad(_Finite, frozen=True, kw_only=True):
    """Runs of a race in order, in seconds: rounds of submission, reference, reference, submission.

    `void` says what disturbed it; such a quad counts for nothing.
    """

    seconds: tuple[float, ...]
    void: str = ""


class Timing(_Finite, frozen=True, kw_only=True):
    """A race, with every sample; `naive_quads` are the naive program's, before the submission's.

    `ratio` is submission / reference, between `low` and `high`; `naive_ratio` that of the slow
    program, at which nothing is earned; `mark` the share of the points, 0 to 1.
    """

    program: str
    device: str
    sizes: dict[str, int]
    reference_seconds: float
    naive_ratio: float
    ratio: float
    low: float
    high: float
    mark: float
    quads: tuple[Quad, ...]
    naive_quads: tuple[Quad, ...]


class Fit(_Finite, frozen=True, kw_only=True):
    """Budgets of memory, in bytes, and whether a program fitted into each."""

    program: str
    device: str
    sizes: dict[str, int]
    budgets: tuple[int, ...]
    fitted: tuple[bool, ...]

    @property
    def mark(self) -> float:
        """The share of the points, 0 to 1."""
        return sum(self.fitted) / len(self.fitted)


class ExerciseScore(_Finite, frozen=True, kw_only=True):
    """One exercise's sum. `measured` is False where a check could not be run here at no fault
    of the submission (no CUDA, a grader's fault): such an exercise is left out of the total."""

    id: str
    title: str
    chapter: str
    points: float
    max_points: float
    measured: bool
    hint: str


class ModuleReport(msgspec.Struct, frozen=True, kw_only=True):
    """What importing one module of the submission said, before any hidden test ran.

    A student sees `message` whole: nothing secret had reached the worker by then.
    """

    module: str
    ok: bool
    message: str = ""
    file: str = ""
    line: int = 0


class Budget(_Finite, frozen=True, kw_only=True):
    """Seconds that tests which hit their limit may draw together, and how much they drew.

    `bound`: seconds that code which hangs in every function is charged at most.
    """

    seconds: float
    drawn: float
    bound: float


class Isolation(msgspec.Struct, frozen=True, kw_only=True):
    """The tier the submission ran in (A, B, B-, C, none), and what each probe found."""

    tier: str
    probes: dict[str, str]


class Provenance(_Finite, frozen=True, kw_only=True):
    """Where a grade comes from; hashes are SHA-256.

    Args:
        submission: the hash of the files that were graded, names and bytes, however wrapped.
        handout: the version of the handout that the submission says it was made with; nobody
            vouches for it. None if it does not say.
        grader: the version of the grader, and
        tree: the hash of all its files that can change a mark.
        python, torch: their versions.
        cpu, kernel: the machine's.
        tier: how the submission was isolated.
        lanes: tests that ran at a time.
        cpu_seconds: of judge, zygotes and workers, the first grading's with their start; None if a
            zygote was gone before it was asked.
    """

    submission: str
    handout: str | None
    grader: str
    tree: str
    python: str
    torch: str
    cpu: str
    kernel: str
    tier: str
    lanes: int
    cpu_seconds: float | None


class Grade(_Finite, frozen=True, kw_only=True):
    """Everything one grading found; staff only. `score` is None after a fault of the grader.

    `version` is the assignment's. `verdicts` is the hash of every check's state, cause and points:
    the same nonce on the same versions gives the same one on any machine.
    """

    submission: str
    score: float | None
    max_score: float
    isolation: Isolation
    nonce: str
    tests: Literal["all", "public", "hidden"]
    checks: tuple[Check, ...]
    exercises: tuple[ExerciseScore, ...]
    modules: tuple[ModuleReport, ...]
    left_out: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    started: str = ""
    seconds: float = 0.0
    version: str = ""
    budget: Budget | None = None
    verdicts: str = ""
    provenance: Provenance | None = None


def to_json(grade: Grade) -> bytes:
    """`grade.json`: the whole record, indented."""
    return msgspec.json.format(
        msgspec.json.encode(_encodable(msgspec.to_builtins(grade))), indent=2
    )


def from_json(data: bytes) -> Grade:
    """Reads what `to_json` wrote; raises msgspec.ValidationError for anything else."""
    return msgspec.json.decode(data, type=Grade)


def _encodable(value: Any) -> Any:
    """Escapes lone surrogates: a file name of the submission that is not UTF-8 arrives with them,
    and must not keep the record from being written."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_encodable(item) for item in value]
    return value
