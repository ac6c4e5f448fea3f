"""What a test does with an answer has limits: it fails the submission, and is no fault."""

from types import SimpleNamespace

import pytest
import torch

from grader.causes import Cause
from grader.faults import GraderFault, TooMuchWork
from grader.judge import effort
from grader.judge.effort import Effort
from grader.judge.verdict import cause_of
from grader.wire import arguments

MUCH = {
    "lists": lambda: torch.zeros(2**26, dtype=torch.uint8).tolist(),
    "a tensor": lambda: torch.zeros(2**30, dtype=torch.uint8),
    "bytes": lambda: bytes(2**30),
}


@pytest.mark.parametrize("name", MUCH)
def test_memory_of_a_test_is_limited_and_given_back(name):
    with Effort().bounded(), pytest.raises((MemoryError, RuntimeError)) as caught:
        MUCH[name]()
    assert cause_of(caught.value, requests=1) is Cause.TOO_LARGE
    assert torch.empty(2**30, dtype=torch.uint8).nbytes == 2**30


def test_fault_that_follows_from_too_little_memory_is_none():
    fault = GraderFault("a function of the test failed")
    fault.__cause__ = MemoryError()
    assert cause_of(fault, requests=1) is Cause.TOO_LARGE
    assert cause_of(fault, requests=0) is Cause.GRADER_FAULT


def test_time_of_a_test_is_limited_even_if_it_catches_the_end(monkeypatch):
    monkeypatch.setattr(effort, "SECONDS", 0.01)
    caught = 0
    with Effort().bounded():
        while caught < 2:
            try:
                while True:
                    pass
            except TooMuchWork:
                caught += 1


def test_time_beyond_the_usual_is_charged(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(effort, "time", SimpleNamespace(process_time=lambda: now[0]))
    for seconds, charged in ((1.5, 0.0), (5.0, 3.0)):
        test = Effort()
        with test.bounded():
            now[0] += seconds
        assert test.charged == charged


def test_memory_that_lacks_before_the_first_request_is_sent_is_no_failure(sandboxed, monkeypatch):
    def lacks(*_args, **_options):
        raise MemoryError

    impl = sandboxed(toy="def double(x): return 2 * x")
    for answered, cause in ((0, Cause.GRADER_FAULT), (1, Cause.TOO_LARGE)):
        assert impl.scratch  # starts a worker
        if answered:
            assert impl.toy.double(1) == 2
        with monkeypatch.context() as patch:
            patch.setattr(arguments, "encode", lacks)
            with pytest.raises(GraderFault) as caught:
                impl.toy.double(1)
        assert cause_of(caught.value, impl.requests) is cause
