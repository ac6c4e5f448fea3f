"""Fixtures: `reference`, the solutions imported into the judge's process, and `later`."""

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from assignment.calls import plain
from assignment.calls.implementation import Implementation, LocalImplementation, Raised
from assignment.expect import expect, show


@pytest.fixture
def reference() -> Iterator[Implementation]:
    """The reference implementation, called like `impl`."""
    with tempfile.TemporaryDirectory() as scratch:
        yield LocalImplementation("solutions.resource_accounting", Path(scratch))


@pytest.fixture
def later(impl: Implementation) -> "Later":
    """`impl` for calls of which only the results matter: they are made together.

        later.strides.storage_index((2, 3), (4, 1)).equals(11)

    The calls are made in order when the test's function has returned, and then each result is
    checked. A call of its own takes three times as long.
    """
    return Later(impl)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Iterator[None]:
    """Lets fixtures check what they have put off, as the last thing that a test does."""
    result = yield
    for name in pyfuncitem.funcargs.keys() & {"later", "runs"}:
        pyfuncitem.funcargs[name].check()
    return result


class Later:
    """Calls that are still to be made."""

    def __init__(self, implementation: Implementation) -> None:
        self._implementation = implementation
        self._expected: list[Expected] = []

    def __getattr__(self, module: str) -> "_Functions":
        if module.startswith("_"):
            raise AttributeError(module)
        return _Functions(self._expected, module)

    def check(self) -> None:
        """Makes the calls until now, and checks what comes; raises what the first check raises."""
        expected, self._expected[:] = list(self._expected), []
        try:
            found = self._implementation.call_all([e.call for e in expected])
        except Exception as error:  # of all of them: the worker has ended
            error.add_note(f"{expected[0].asked}, the first of {len(expected)} calls")
            raise
        for one, outcome in zip(expected, found, strict=True):
            one.check(outcome)


class _Functions:
    def __init__(self, expected: "list[Expected]", module: str) -> None:
        self._expected, self._module = expected, module

    def __getattr__(self, function: str) -> "Callable[..., Expected]":
        target = f"{self._module}.{function}"

        def call(*args: Any, **kwargs: Any) -> Expected:
            # As they are now: a test may change its lists before the call is made.
            copied = plain.copy_arguments((args, kwargs), f"arguments of {target}")
            asked = sys._getframe(1)
            self._expected.append(Expected(target, *copied, asked.f_lineno))
            return self._expected[-1]

        return call


class Expected:
    """A call, and what is expected of it, which one of the methods must name."""

    def __init__(
        self, target: str, args: tuple[Any, ...], kwargs: dict[str, Any], line: int
    ) -> None:
        self.call, self._line = (target, args, kwargs), line
        self._check: Callable[[Any], object] = self._nothing
        self._error: type[Exception] | None = None

    def equals(self, value: Any, what: str = "") -> None:
        """As `expect(…, what).equals`; by default the result is named by its call.

        A truth value stands in a list: by one alone a test says that its own rule is broken.
        """
        if isinstance(value, bool):
            self._check = lambda found: expect([found], what or self).equals([value])
        else:
            self._check = lambda found: expect(found, what or self).equals(value)

    def has(self, entries: dict[str, Any]) -> None:
        """It is a dict with these entries; others, such as a total, are another test's."""

        def check(found: Any) -> None:
            if isinstance(found, dict):
                found = {name: found[name] for name in entries if name in found}
            expect(found, self).equals(entries)  # type: ignore[arg-type]

        self._check = check

    def close(self, value: Any, **tolerances: float) -> None:
        """As `expect(…).close`."""
        self._check = lambda found: expect(found, self).close(value, **tolerances)

    def raises(self, error: type[Exception]) -> None:
        """As `pytest.raises`."""
        self._error = error

    def gives_anything(self) -> None:
        """It must not raise."""
        self._check = lambda _: None

    def then(self, check: Callable[[Any], object]) -> None:
        """Hands the result to a function that checks it."""
        self._check = check

    def check(self, found: Any) -> None:
        """Checks the result, or the exception that came in place of it."""
        try:
            with pytest.raises(self._error) if self._error else nullcontext():
                if isinstance(found, Raised):
                    raise found.error
            if not self._error:
                self._check(found)
        except BaseException as error:  # pytest's own failures are no exceptions
            error.add_note(self.asked)
            if self._error and not isinstance(found, Raised):
                error.add_note(f"it returned {show(found)}")
            raise

    @property
    def asked(self) -> str:
        """Where the test asks for the call, for a message."""
        return f"asked in line {self._line} of the test's file: {self}"

    def __str__(self) -> str:  # made only for a message
        target, args, kwargs = self.call
        given = [*map(show, args), *(f"{name}={show(value)}" for name, value in kwargs.items())]
        return f"{target.partition('.')[2]}({', '.join(given)})"

    def _nothing(self, found: Any) -> None:
        raise AssertionError(f"the test expects nothing of {self}")
