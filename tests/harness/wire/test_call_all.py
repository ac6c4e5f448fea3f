"""Several calls in one request: `impl.call_all`, and `later`, with which hidden tests use it."""

import importlib.util

import pytest
import torch

from assignment.calls.implementation import Raised
from assignment.expect import Mismatch
from grader.causes import Cause
from grader.faults import SubmissionFailure
from grader.wire import claims
from tests.harness.conftest import REPOSITORY

MODULE = """
import os

import torch

held = torch.zeros(2)


def half(n, of=2):
    if n % 2:
        raise ValueError(f"{n} is odd")
    return n // of


def counted():
    held.add_(1)
    return held


def odd():
    return object()


class Meta(type):
    def __getattribute__(cls, name):
        raise OSError(name)


def nameless():
    return Meta("Nameless", (), {})()


def vast():
    return torch.zeros(1).expand(2**50)


def dies():
    os._exit(3)
"""


def calls(*targets_and_args, **kwargs):
    return [(f"toy.{name}", args, kwargs) for name, *args in targets_and_args]


@pytest.fixture
def toy(in_both):
    """The module in a worker, and in this process."""
    return in_both(toy=MODULE)


def test_results_come_in_order_and_exceptions_in_their_place(toy):
    two, raised, four = toy.call_all(calls(["half", 4], ["half", 3], ["half", 8]))
    assert (two, four) == (2, 4)
    assert isinstance(raised, Raised)
    assert isinstance(raised.error, ValueError)
    assert "3 is odd" in str(raised.error)
    assert toy.call_all(calls(["half", 8], of=4)) == [2]
    assert toy.call_all([]) == []


def test_result_is_as_it_was_when_the_call_returned(toy):
    first, second = toy.call_all(calls(["counted"], ["counted"]))
    torch.testing.assert_close(first, torch.ones(2))
    torch.testing.assert_close(second, 2 * torch.ones(2))


def test_what_cannot_be_sent_fails_alone(toy):
    raised, two = toy.call_all(calls(["odd"], ["half", 4]))
    assert isinstance(raised, Raised)
    assert "what toy.odd returned is an object of type object" in str(raised.error)
    assert two == 2


@pytest.mark.parametrize(
    ("name", "cause"), [("nameless", Cause.NOT_PLAIN_DATA), ("vast", Cause.MEMORY)]
)
def test_what_cannot_even_be_described_fails_alone(sandboxed, name, cause):
    raised, two = sandboxed(toy=MODULE).call_all(calls([name], ["half", 4]))
    assert raised.error.cause is cause
    assert f"toy.{name} returned" in raised.error.detail
    assert two == 2


def test_end_of_the_process_ends_all_calls(sandboxed):
    toy = sandboxed(toy=MODULE)
    with pytest.raises(SubmissionFailure) as failure:
        toy.call_all(calls(["half", 4], ["dies"], ["half", 4]))
    assert failure.value.cause is Cause.DIED
    assert toy.call_all(calls(["half", 4])) == [2]  # in another worker


def test_calls_are_one_request_and_one_answer(sandboxed):
    toy = sandboxed(toy=MODULE)
    toy.toy.half(4)
    channel, requests = toy._worker.channel, toy.requests
    before = channel.call_id
    toy.call_all(calls(*[["half", 4]] * 50))
    assert channel.call_id == before + 1
    assert toy.requests == requests + 1


@pytest.mark.parametrize(
    "found", [None, 7, {}, (), [], [{"result": 1}], [{"result": 1}] * 3, ({"result": 1},) * 2]
)
def test_answer_of_another_form_is_refused(found):
    with pytest.raises(SubmissionFailure) as failure:
        claims.results({"result": found}, ["m.f", "m.f"])
    assert failure.value.cause is Cause.PROTOCOL


@pytest.mark.parametrize("one", [None, 7, [], {}, {"result": 1, "more": 2}, {"failed": 3}])
def test_one_outcome_of_another_form_fails_alone(one):
    raised, seven = claims.results({"result": [one, {"result": 7}]}, ["m.f", "m.g"])
    assert raised.error.cause is Cause.PROTOCOL
    assert "m.f" in raised.error.detail
    assert seven == 7


def test_failure_of_the_whole_answer_is_raised():
    with pytest.raises(SubmissionFailure) as failure:
        claims.results({"failed": "not_plain_data", "message": "no"}, ["m.f"])
    assert failure.value.cause is Cause.NOT_PLAIN_DATA


# --- `later` -----------------------------------------------------------------------------------


DOUBLES = """
def f(number, of=2):
    if number % 2:
        raise KeyError("odd")
    return 2 * number


def copy(items):
    return list(items)
"""


@pytest.fixture
def later(in_this_process):
    place = REPOSITORY / "tests" / "hidden" / "conftest.py"
    spec = importlib.util.spec_from_file_location("hidden_conftest", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Later(in_this_process(m=DOUBLES))


def test_expectations_are_checked_at_the_end(later):
    seen = []
    later.m.f(2).equals(4)
    later.m.f(2, of=3).close(4.0, rtol=1e-12)
    later.m.f(1).raises(KeyError)
    later.m.f(4).then(seen.append)
    later.m.f(6).gives_anything()
    assert not seen
    later.check()
    assert seen == [8]
    later.check()  # each once
    assert seen == [8]


@pytest.mark.parametrize(
    ("expectation", "error"),
    [
        (lambda e: e.equals(5), Mismatch),
        (lambda e: e.close(5.0, rtol=0.0), Mismatch),
        (lambda e: e.raises(ValueError), pytest.fail.Exception),
        (lambda e: e.then(lambda found: 1 / (found - 4)), ZeroDivisionError),
        (lambda e: None, AssertionError),  # nothing is expected
    ],
)
def test_what_is_not_as_expected_fails_and_says_where_it_was_asked(later, expectation, error):
    later.m.f(0).equals(0)
    expectation(later.m.f(2, of=torch.int8))
    later.m.f(0).equals(0)
    with pytest.raises(error) as failure:
        later.check()
    asked, *more = failure.value.__notes__
    assert asked.endswith("of the test's file: f(2, of=torch.int8)")
    assert more == (["it returned 4"] if error is pytest.fail.Exception else [])


def test_end_of_the_process_says_what_was_asked(later, monkeypatch):
    def dies(calls):
        raise SubmissionFailure(Cause.DIED, "it died")

    monkeypatch.setattr(later._implementation, "call_all", dies)
    later.m.f(0).equals(0)
    later.m.f(2).equals(4)
    with pytest.raises(SubmissionFailure) as failure:
        later.check()
    assert failure.value.__notes__[0].endswith("of the test's file: f(0), the first of 2 calls")


@pytest.mark.parametrize("expectation", [lambda e: e.equals(2), lambda e: e.raises(ValueError)])
def test_another_exception_is_raised(later, expectation):
    expectation(later.m.f(1))
    with pytest.raises(KeyError, match="odd"):
        later.check()


def test_arguments_are_those_of_the_time_of_asking(later):
    items = [1]
    later.m.copy(items).equals([1])
    items.append(2)
    later.m.copy(items).equals([1, 2])
    later.check()
