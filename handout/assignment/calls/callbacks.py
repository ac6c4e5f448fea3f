"""Functions and generators of a test, as arguments of a call: the test sees each use of them.

`impl.device.time_function(work, clock=device.clock)` passes two functions of the test's. The code
under test gets a stand-in for each: using it calls the test's function, in the grader by a message
to the judge and back, with a copy of the arguments, and returns a copy of its result. So the order
of uses rests on nobody's word. Each `next` of a generator, passed as an iterator, is such a use.
"""

from __future__ import annotations

from collections.abc import Callable
from types import GeneratorType
from typing import Any

from assignment.calls import plain

MAX_USES = 10_000  # of all stand-ins in one call


class KillProcess(Exception):
    """A test's function raises this in `Implementation.kill_during`, to have its caller killed."""


def is_iterator(value: Any) -> bool:
    """Whether its stand-in is an iterator."""
    return type(value) is GeneratorType


def function_of(value: Any) -> Callable[..., Any]:
    """What a use of the stand-in calls: the function, or `next` of the generator."""
    function: Callable[..., Any] = value.__next__ if is_iterator(value) else value
    return function


class StandInIterator:
    """The stand-in of a generator; `take` is what its `next` calls."""

    def __init__(self, take: Callable[[], Any]) -> None:
        self._take = take

    def __iter__(self) -> StandInIterator:
        return self

    def __next__(self) -> Any:
        return self._take()


class LocalStandIns:
    """The stand-ins of one call in the test's own process."""

    def __init__(self, target: str) -> None:
        self._target = target
        # The first that failed in a function of the test's: it counts even if it was caught.
        self.verdict: AssertionError | None = None

    def of(self, value: Any) -> Any:
        """The stand-in of a function or of a generator."""
        function = function_of(value)

        def use(*args: Any, **kwargs: Any) -> Any:
            what = f"what {self._target} passed to {getattr(value, '__name__', 'a function')}"
            try:
                result = function(*plain.copy(args, what), **plain.copy(kwargs, what))
            except AssertionError as failed:
                self.verdict = self.verdict or failed
                raise
            return plain.copy_arguments(result, "what a function of the test returned")

        return StandInIterator(use) if is_iterator(value) else use
