"""Why a test failed, in as few lines as a student needs.

    wrong: bytes of torch.bool
      call:     dtypes.bytes_per_element(torch.bool)
      expected: 1
      found:    0
      hint:     a bool needs only a bit, but memory is addressed in bytes
    in tests/test_dtypes.py:36 test_widths_that_the_name_does_not_say

Of a traceback only the lines of the test and of the student's code are shown; those of pytest, of
fixtures and of the type checker say nothing about the student's code.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from assignment import manifest
from assignment.calls.implementation import LocalImplementation
from assignment.calls.journal import Journal
from assignment.calls.plain import NotPlainData
from assignment.calls.text import show
from assignment.calls.world import LeftChanged
from assignment.expect import Mismatch
from assignment.hooks import package_of
from assignment.student import diagnosis, signatures
from assignment.student.deadline import TookTooLong, limit_of
from assignment.student.frames import Places, culprit_at, expected_at, file_of, refusal_at
from assignment.student.lines import (
    call_lines,
    labelled,
    mismatch_lines,
    no_exception_lines,
    signature_lines,
)
from assignment.student.shapes import shape_error

# Exceptions by which a test fails to use a value of another form than it expects.
_UNUSABLE = (TypeError, LookupError, AttributeError, ValueError)
_ANNOTATION = "return what the annotation after -> says"
_SHORT = 60  # characters of an expected value that a hint names
Raised = pytest.ExceptionInfo[BaseException]


class Failure:
    """One failure of a test of this exercise, whose hint is shown where nothing better is known.

    The journal of `impl`, if there is one, has the calls that the test made. Each "entry" is one of
    the traceback: a place in the code.
    """

    def __init__(self, item: pytest.Item, exercise: str, error: Raised, impl: Any) -> None:
        self._error, self._value = error, error.value
        self._seconds, self._hint = limit_of(exercise), manifest.load()[exercise].hint
        package = package_of(item.config)
        self._package = package.name
        self._places = Places(item.path, item.config.rootpath, package)
        journal = impl.journal if isinstance(impl, LocalImplementation) else None
        self._journal = journal or Journal()
        kinds = [(self._places.kind(entry), entry) for entry in error.traceback]
        self._student_entries = [entry for kind, entry in kinds if kind == "student"]
        self._shown = [entry for kind, entry in kinds if kind != "library"]
        self._test_entry = next((entry for kind, entry in kinds if kind == "test"), None)
        self._last = self._shown[-1] if self._shown else None

    @property
    def is_failed_import(self) -> bool:
        """Whether a module of the student's could not be imported: all of its tests fail alike."""
        is_importing = any("importlib" in file_of(entry) for entry in self._error.traceback)
        is_at_top = all(entry.name == "<module>" for entry in self._student_entries)
        return is_importing and is_at_top and not isinstance(self._value, TookTooLong)

    def explain(self) -> str:
        """What happened and where."""
        value = self._value
        if isinstance(value, SyntaxError) and value.filename:
            place = f"{self._places.short(Path(value.filename))}:{value.lineno} cannot be read:"
            line = [f"    {text}"] if (text := (value.text or "").strip()) else []
            return "\n".join([place, *line, f"{type(value).__name__}: {value.msg}"])
        if isinstance(value, TookTooLong | KeyboardInterrupt):
            return self._running()
        if isinstance(value, Mismatch):
            lines = mismatch_lines(value, self._journal, self._hint)
            # If student code is on the stack, it called a function of the test, which compared.
            return self._report(*lines, at=self._shown if self._student_entries else None)
        if shape := shape_error(diagnosis.message_of(value)):
            return self._not_as_annotated(shape)
        if isinstance(value, NotPlainData):
            return self._not_plain(value)
        if isinstance(value, pytest.fail.Exception):  # or `pytest.raises` without one
            return self._report(*no_exception_lines(str(value), self._journal.last))
        if self.is_failed_import:
            lines = [
                "wrong: a module cannot be imported",
                *labelled("found", self._message),
                *labelled("hint", diagnosis.of_exception(value)),
            ]
            return "\n".join([*lines, *self._places.shown(self._student_entries)])
        if self._student_entries and self._last is self._student_entries[-1]:
            return self._raised()
        if isinstance(value, LeftChanged):
            return self._left_changed(diagnosis.message_of(value))
        if isinstance(value, AssertionError):
            return self._assertion()
        return self._unusable()

    def _report(self, *lines: str, at: Sequence[Any] | None = None, values: bool = False) -> str:
        """The lines, the signature if it was changed, and the places: by default the test's."""
        if at is not None:
            places = self._places.shown(at, with_values=values)
        else:
            places = [f"in {self._places.where(self._test_entry)}"] if self._test_entry else []
        return "\n".join([*lines, *self._signature, *places])

    @property
    def _signature(self) -> list[str]:
        return signature_lines(self._package, self._journal)

    def _not_as_annotated(self, text: str) -> str:
        """A wrong type or shape of an argument or a result; `text` is from `shape_error`."""
        heading, *lines = text.split("\n")
        value = expected_at(self._test_entry)
        hint = _ANNOTATION
        if "argument" in heading:
            hint = "pass what the annotation of the parameter says"
        elif 0 < len(value) <= _SHORT:
            hint = f"the annotation after -> says what to return, here {value}"
        elif re.search(r"^  found: +None$", text, re.M):
            hint = diagnosis.RETURNED_NONE
        call = call_lines(self._journal.last, text)
        return self._report(f"wrong: {heading}", *call, *lines, *labelled("hint", hint))

    def _raised(self) -> str:
        """An exception of the student's code."""
        call = self._journal.last
        is_running = call is not None and not call.is_scenario and call.returned is None
        name = call.name if call and is_running else self._student_entries[0].name
        wanted = refusal_at(self._test_entry)
        hint = diagnosis.of_exception(self._value) or self._hint
        if wanted:
            hint = f"refuse this call with {wanted}: check the arguments before you compute"
        return self._report(
            f"wrong: {name} raised {type(self._value).__name__}",
            *call_lines(call, self._message),
            *labelled("expected", wanted or expected_at(self._test_entry)),
            *labelled("found", self._message),
            *labelled("hint", "" if self._signature else hint),  # a changed signature says more
            at=self._student_entries,
        )

    def _unusable(self) -> str:
        """Any other exception: mostly the test's own, which could not use the result."""
        call, culprit = self._journal.last, culprit_at(self._last) if self._last else None
        name = call.name if call else "your code"
        if isinstance(self._value, AttributeError | TypeError) and self._signature:
            return self._report(
                f"wrong: {name} cannot be called as in the handout", *call_lines(call)
            )
        if not isinstance(self._value, _UNUSABLE) or not (call and call.returned):
            return self._report(*call_lines(call), self._message, at=self._shown)
        what, found = f"the result of {name}", call.returned
        if culprit is not None:
            source, value, use = culprit
            found, expected = show(value), f"something with {use}"
            what = what if found == call.returned else source
        else:
            expected = expected_at(self._test_entry) or signatures.returns(call.target)
        hint = self._hint
        if call.returned == "None":
            hint = diagnosis.RETURNED_NONE
        elif "unpack" in self._message:
            hint = "return all that the docstring names under Returns, in a tuple"
        elif isinstance(self._value, LookupError | AttributeError):
            hint = ""  # what is missing is said
        is_in_scenario = self._last is not None and self._places.kind(self._last) == "scenario"
        return self._report(
            f"wrong: {what} cannot be used",
            *call_lines(call),
            *labelled("expected", expected or "what the docstring says"),
            *labelled("found", found),
            *labelled("error", self._message),
            *labelled("hint", hint),
            at=None if is_in_scenario else self._shown[-1:],
        )

    def _not_plain(self, value: NotPlainData) -> str:
        """A result of a type that no test takes; the parts of its message are from `plain.py`."""
        text, call = diagnosis.message_of(value), self._journal.last
        parts = re.fullmatch(r"(.*?) is (.*?); expected ([^;]*)(?:; (.*))?", text, re.S)
        if parts is None:
            return self._report(*call_lines(call), self._message)
        what, found, expected, hint = parts.groups()
        returned = f"{call.returned}, " if call and call.returned else ""
        if expected.startswith("plain data"):
            expected = "numbers, text, lists, tuples, dicts, tensors, arrays"
        if not what.startswith("a key"):
            expected = expected_at(self._test_entry) or expected
        return self._report(
            f"wrong: {what}",
            *call_lines(call),
            *labelled("expected", expected),
            *labelled("found", f"{returned}{found}"),
            *labelled("hint", hint or _ANNOTATION),
        )

    @property
    def _message(self) -> str:
        """The exception as text in one line, without this folder's path."""
        text = re.sub(r"\s*\n\s*", " ", diagnosis.message_of(self._value)).strip()
        text = text.replace(f"{self._places.root}{os.sep}", "")
        name = type(self._value).__name__
        return f"{name}: {text}" if text else name

    def _left_changed(self, text: str) -> str:
        """A LeftChanged, whose text says what was found and, after a last "; ", what to do."""
        found, _, advice = text.rpartition("; ")
        return self._report(
            f"wrong: {found or text}",
            *call_lines(self._journal.last),
            *labelled("hint", advice if found else self._hint),
        )

    def _assertion(self) -> str:
        """An `assert` of the test that failed, with the last two calls before it."""
        text = str(self._value).partition("\nassert ")[0]
        lines = [f"wrong: {text}"]
        for call in self._journal.student_calls[-2:]:
            lines += [*call_lines(call), *labelled("found", call.returned or "no result")]
        return self._report(*lines, *labelled("hint", self._hint))

    def _running(self) -> str:
        """Where the code was when it was stopped, with values."""
        heading, hint = "stopped by Ctrl-C", ""
        if isinstance(self._value, TookTooLong):
            heading = f"wrong: still running after {self._seconds:g} s, the limit of this exercise"
            if self._student_entries:
                hint = "does its loop end? It was here, with these values:"
        return self._report(
            heading,
            *call_lines(self._journal.last),
            *labelled("hint", hint),
            at=self._student_entries[-3:] or None,
            values=True,
        )
