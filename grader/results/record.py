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

    `max_points` is its share of the exercise's points; `points` is 0 if it was not run. It is open
    if nothing tells whether its own rule holds: it failed as an earlier check of its exercise did,
    or passed without the work that another one judges. `waits_for` is the number of that other one
    among the checks of its exercise, from 1.
    `exception` is the name of the nearest built-in class, only with the cause `exception`.
    `detail` is for staff; `shown` is for the student, and None for a hidden test.
    `seconds` is wall time; `charged` is the CPU time of the submission's processes, the time that
    they slept, and the judge's time for their answers.
    A race, or a fit into memory, that earns a part of its points has the state "failed"; `timing`,
    `fit` or `truth` has the measurements.
    """

    exercise: str
    test: str
    title: str
    state: State
    points: float
    max_points: float
    cause: Cause | None = None
    waits_for: int | None = None
    exception: str | None = None
    detail: str | None = None
    shown: str | None = None
    seconds: float = 0.0
    charged: float = 0.0
    visibility: Visibility = "hidden"
    timing: Timing | None = None
    fit: Fit | None = None
    truth: Truth | None = None


class Block(_Finite, frozen=True, kw_only=True):
    """A block of runs of a race, in order: rounds of submission, reference, reference, submission.

    `seconds` has the time of each run. If `void` is not empty, it says what disturbed the block,
    and the block is not counted.
    """

    seconds: tuple[float, ...]
    void: str = ""


class Timing(_Finite, frozen=True, kw_only=True):
    """A race with every sample: `quads` of the submission, `naive_quads` of the naive program.

    `ratio` is the time of submission / reference, in the interval from `low` to `high`.
    `naive_ratio` is naive / reference: the last band that earns something ends below it. `mark` is
    the share of the points, 0 to 1. The naive program runs before the submission.
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
    quads: tuple[Block, ...]
    naive_quads: tuple[Block, ...]


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
    """The runs of public tests with further seeds: how many, and what they were charged.

    `failures` has at most one for an exercise. `fault` says why the runs ended early, if the grader
    failed; it is no fault of the grading.
    """

    runs: int
    charged: float
    failures: tuple[FurtherFailure, ...] = ()
    fault: str = ""


class ExerciseScore(_Finite, frozen=True, kw_only=True):
    """The sum of one exercise's checks.

    `measured` is False if a check could not be run here and the submission is not to blame (no
    CUDA, a fault of the grader): such an exercise is left out of the total, and so is one that is
    not `core`. `builds_on` names
    exercises whose functions it may call, `grader_only` rules that no public test checks: advice.
    """

    id: str
    title: str
    chapter: str
    points: float
    max_points: float
    measured: bool
    hint: str
    core: bool = True
    builds_on: tuple[str, ...] = ()
    grader_only: tuple[str, ...] = ()


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
    """The time budget of tests that take longer than their exercise's share, in seconds.

    `drawn` is how much of it was drawn, each time rounded up. `bound` is the most that any code can
    be charged.
    """

    seconds: float
    drawn: float
    bound: float


class Isolation(msgspec.Struct, frozen=True, kw_only=True):
    """The tier the submission ran in (A, B, B-, C or none), and the result of each probe.

    `fresh`: whether each test had workers of its own; else those of an exercise shared one.
    """

    tier: str
    probes: dict[str, str]
    fresh: bool = False


class Provenance(_Finite, frozen=True, kw_only=True):
    """Where a grade comes from: versions, the machine, and hashes, which are SHA-256.

    `cpu_seconds` are those of judge, zygotes and workers; the first grading's include their start.
    None if a zygote ended before it could be asked.
    """

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
    cpu_seconds: float | None


class Grade(_Finite, frozen=True, kw_only=True):
    """Everything that one grading found; staff only.

    `score` is None after a fault of the grader. `version` is the assignment's. `verdicts` is the
    hash of every check's state, cause and points: with the same nonce and the same versions it is
    the same on any machine. `again` names the exercises that ran later than the others,
    alone: their tests had changed, or they need a device.
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
    further: FurtherRuns | None = None
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
