"""The record of a grading. Every output is a pure function of it."""

from __future__ import annotations

import functools
import math
from typing import Any, Literal, get_args

import msgspec

from grader.causes import Cause

State = Literal["passed", "failed", "open", "not_run"]
Visibility = Literal["public", "hidden"]


class _Finite(msgspec.Struct, frozen=True, kw_only=True):
    """Raises ValueError for nan and infinity: msgspec would write both as null, and a score of
    null means a fault of the grader."""

    def __post_init__(self) -> None:
        for field in _floats(type(self)):
            value = getattr(self, field)
            if isinstance(value, float) and not math.isfinite(value):
                raise ValueError(f"{type(self).__name__}.{field} is {value}, not a finite number")


@functools.cache
def _floats(record: type[msgspec.Struct]) -> tuple[str, ...]:
    """The fields that may hold a float: a class has a million checks."""
    fields = msgspec.structs.fields(record)
    return tuple(f.name for f in fields if float in (f.type, *get_args(f.type)))


class Check(_Finite, frozen=True, kw_only=True):
    """One test.

    It is open if nothing tells whether its own rule holds: it failed as an earlier check of its
    exercise did, or passed without the work that another one judges. A race, or a fit into memory,
    that earns a part of its points has the state "failed".
    """

    exercise: str
    test: str
    title: str
    state: State
    points: float  # 0 if it was not run
    max_points: float  # its share of the exercise's
    cause: Cause | None = None
    waits_for: int | None = None  # that other one's number among its exercise's checks, from 1
    exception: str | None = None  # the nearest built-in class, only with the cause `exception`
    detail: str | None = None  # for staff
    shown: str | None = None  # for the student; None for a hidden test
    seconds: float = 0.0  # of wall time
    charged: float = 0.0  # of its processes' CPU and sleep, and of the judge for their answers
    visibility: Visibility = "hidden"
    timing: Timing | None = None
    fit: Fit | None = None
    truth: Truth | None = None


class Block(_Finite, frozen=True, kw_only=True):
    """A block of a race: rounds of submission, reference, reference, submission."""

    seconds: tuple[float, ...]  # of each run
    void: str = ""  # what disturbed the block, if it is not counted


class Timing(_Finite, frozen=True, kw_only=True):
    """A race with every sample."""

    program: str
    device: str
    sizes: dict[str, int]
    reference_seconds: float
    naive_ratio: float  # naive / reference: the last band that earns something ends below it
    ratio: float  # the time of submission / reference, in the interval from `low` to `high`
    low: float
    high: float
    mark: float  # the share of the points, 0 to 1
    quads: tuple[Block, ...]  # of the submission
    naive_quads: tuple[Block, ...]  # of the naive program, which ran before


class Fit(_Finite, frozen=True, kw_only=True):
    """Memory budgets, in bytes, and for each whether the program ran within it."""

    program: str
    device: str
    sizes: dict[str, int]
    budgets: tuple[int, ...]
    fitted: tuple[bool, ...]

    @property
    def mark(self) -> float:
        """The share of the points, 0 to 1."""
        return sum(self.fitted) / len(self.fitted)


class Truth(_Finite, frozen=True, kw_only=True):
    """What a timer and its MFU report of some work, as a multiple of the judge's seconds."""

    program: str
    device: str
    seconds: float
    mfu: float


class FurtherFailure(msgspec.Struct, frozen=True, kw_only=True):
    """A public test that fails with a further seed; `cause` and `detail` are for staff."""

    exercise: str
    test: str
    title: str
    seed: int
    cause: Cause | None = None
    detail: str | None = None


class FurtherRuns(_Finite, frozen=True, kw_only=True):
    """The runs of public tests with further seeds: how many, and what they were charged."""

    runs: int
    charged: float
    failures: tuple[FurtherFailure, ...] = ()  # at most one for an exercise
    fault: str = ""  # of the grader, that ended the runs early; it is none of the grading


class ExerciseScore(_Finite, frozen=True, kw_only=True):
    """The sum of one exercise's checks; it is in the total if it is `measured` and `core`."""

    id: str
    title: str
    chapter: str
    points: float
    max_points: float
    # False if a check could not be run here and the submission is not to blame (no CUDA, a fault of
    # the grader).
    measured: bool
    hint: str
    core: bool = True
    builds_on: tuple[str, ...] = ()  # exercises whose functions it may call: advice
    grader_only: tuple[str, ...] = ()  # rules that no public test checks: advice


class ModuleReport(msgspec.Struct, frozen=True, kw_only=True):
    """The result of importing one module of the submission, before any hidden test ran.

    A student sees `message`, cut if long: the worker had received nothing secret by then.
    """

    module: str
    ok: bool
    message: str = ""
    file: str = ""
    line: int = 0


class Budget(_Finite, frozen=True, kw_only=True):
    """The time budget of tests that take longer than their exercise's share, in seconds."""

    seconds: float
    drawn: float  # each time rounded up
    bound: float  # the most that any code can be charged


class Isolation(msgspec.Struct, frozen=True, kw_only=True):
    """The tier the submission ran in (A, B, B-, C or none), and the result of each probe."""

    tier: str
    probes: dict[str, str]
    fresh: bool = False  # each test had workers of its own; else those of an exercise shared one


class Provenance(_Finite, frozen=True, kw_only=True):
    """Where a grade comes from: versions, the machine, and hashes, which are SHA-256."""

    submission: str  # the hash of the graded files' names and bytes, however they were packed
    handout: str | None  # the version that the submission says it was made with, unverified
    grader: str
    tree: str  # the hash of all files of the grader that can change a mark
    python: str
    torch: str
    cpu: str
    kernel: str
    tier: str
    lanes: int  # tests that ran at a time
    # Of judge, zygotes and workers; the first grading's include their start. None if a zygote ended
    # before it could be asked.
    cpu_seconds: float | None


class Grade(_Finite, frozen=True, kw_only=True):
    """Everything that one grading found; staff only."""

    submission: str
    score: float | None  # None after a fault of the grader
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
    version: str = ""  # the assignment's
    budget: Budget | None = None
    verdicts: str = ""  # a hash of all checks, the same on any machine (`judge/provenance.py`)
    provenance: Provenance | None = None
    further: FurtherRuns | None = None
    # Exercises that ran later than the others, alone: their tests had changed, or need a device.
    again: tuple[str, ...] = ()


def to_json(grade: Grade) -> bytes:
    """`grade.json`: the whole record, indented."""
    return msgspec.json.format(
        msgspec.json.encode(_encodable(msgspec.to_builtins(grade))), indent=2
    )


def from_json(data: bytes) -> Grade:
    """Reads what `to_json` wrote; raises msgspec.ValidationError for anything else."""
    return msgspec.json.decode(data, type=Grade)


def _encodable(value: Any) -> Any:
    """The value with lone surrogates in its texts escaped: UTF-8 cannot hold them.

    A file name that is not UTF-8 has lone surrogates once Python has decoded it.
    """
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_encodable(item) for item in value]
    return value
