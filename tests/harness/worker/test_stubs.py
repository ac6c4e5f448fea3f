"""A stub of the handout costs no worker; code that only looks like a stub is tested."""

import functools

import pytest

from grader.causes import Cause
from grader.supervisor.pool import WorkerPool
from grader.worker.stubs import is_stub
from tests.harness.conftest import REPOSITORY, hidden

STUB = "def {name}(*args):\n    raise NotImplementedError('{name}: not started')\n"


def bare(x):
    raise NotImplementedError


def with_docstring(x: int, *, y: str = "a") -> float:
    """Does something."""
    raise NotImplementedError("not started; see the text")


class Optimizer:
    def __init__(self, lr):
        """Takes parameters."""
        raise NotImplementedError("not started")

    def step(self):
        return 1


def refuses(x):
    if x < 0:
        raise NotImplementedError
    return x


def generates():
    raise NotImplementedError
    yield


def other(x):
    raise ValueError("not started")


def answers(x):
    return NotImplementedError


def asks(x):
    raise NotImplementedError(x)


class Made:
    def __new__(cls):
        return 7

    def __init__(self):
        raise NotImplementedError


class Late:
    def step(self):
        raise NotImplementedError


STUBS = (bare, with_docstring, Optimizer)
OTHERS = (
    *(refuses, generates, other, answers, asks, Made, Late, print, None, 3),
    *(functools.partial(bare, 1), functools.lru_cache(bare), Optimizer.step),
)


@pytest.mark.parametrize("value", [*STUBS, *OTHERS])
def test_code_that_can_only_raise_not_implemented_is_a_stub(value):
    assert is_stub(value) == (value in STUBS)


def test_a_redefined_not_implemented_error_makes_no_stub():
    space = {"NotImplementedError": ValueError}
    exec("def f():\n    raise NotImplementedError\n", space)
    assert not is_stub(space["f"])


@pytest.fixture
def started(monkeypatch):
    """A list with an entry for each worker that is started."""
    found = []
    start = WorkerPool.start

    def count(self, *args, **kwargs):
        found.append(args)
        return start(self, *args, **kwargs)

    monkeypatch.setattr(WorkerPool, "start", count)
    return found


def test_an_untouched_handout_costs_no_worker_for_a_test(quick_grader, started):
    """One compiles, one for each module imports it, one imports all"""
    grade = quick_grader.grade(REPOSITORY / "handout")
    assert grade.faults == ()
    assert {check.cause for check in grade.checks} == {Cause.NOT_STARTED}
    assert grade.score == 0
    assert len(started) == 1 + len(quick_grader.manifest.modules) + 1


def test_an_exercise_with_one_function_written_is_tested(quick_grader, submit):
    """Of those that have more than one"""
    text = "".join(STUB.format(name=name) for name in ("slice_dim", "select"))
    text += "def transpose(*args):\n    return 1\n"
    grade = quick_grader.grade(submit(strides=text), only=["view_metadata"])
    causes = {check.cause for check in hidden(grade, "view_metadata")}
    assert Cause.WRONG_ANSWER in causes


STRIDES = STUB.format(name="view_strides")
BOUND_ANEW = {
    "below": {"strides": f"{STRIDES}view_strides = lambda *_: 1\n"},
    "by another module": {
        "strides": STRIDES,
        "dtypes": "from resource_accounting import strides\nstrides.view_strides = max\n",
    },
    "by a helper": {
        "strides": f"{STRIDES}from . import helper\n",
        "helper": "import sys\nsys.modules['resource_accounting.strides'].view_strides = max\n",
    },
}


@pytest.mark.parametrize("modules", BOUND_ANEW.values(), ids=BOUND_ANEW)
def test_a_name_that_is_bound_anew_is_tested(quick_grader, submit, modules):
    """The stub's text is still there; what counts is what the name means in the end"""
    grade = quick_grader.grade(submit(**modules), only=["view_strides", "bytes_per_element"])
    details = [check.detail or "" for check in hidden(grade, "view_strides")]
    assert not any("still the handout's stub" in detail for detail in details)


def test_a_stub_is_told_without_a_worker(quick_grader, submit, started):
    """The other way round: what the tests above would see without any new binding"""
    grade = quick_grader.grade(submit(strides=STRIDES), only=["view_strides"])
    details = {check.detail for check in hidden(grade, "view_strides")}
    assert details == {"strides.view_strides: still the handout's stub"}
