"""Describes a failure of the submission's code as plain data for the judge."""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Iterator
from traceback import format_exception_only, walk_tb
from typing import Any

from assignment.student.shapes import shape_error

_MAX_CHARACTERS = 4000  # of a message or a traceback
_MAX_FRAMES = 8  # of the submission's own code
_MAX_TRACE_FRAMES, _MAX_CHAIN = 40, 8  # of a traceback; exceptions that led to one another
# What Python prints between two exceptions.
_CAUSED = "\nThe above exception was the direct cause of the following exception:\n\n"
_DURING = "\nDuring handling of the above exception, another exception occurred:\n\n"
_NO_MEMORY = ("allocate memory", "Cannot allocate", "enough memory", "out of memory", "bad_alloc")


def failure(cause: str, message: str) -> dict[str, Any]:
    """Describes a failure for which the submission raised no exception."""
    return {"failed": cause, "message": message[:_MAX_CHARACTERS]}


def describe(cause: str, error: BaseException, root: str) -> dict[str, Any]:
    """Describes an exception of the submission's code, in the fields that `wire/claims.py` reads.

    `cause` is one of `grader/causes.py`. The exception's class may be the submission's. `root` is
    the submission's folder, with a slash at its end.
    """
    builtin = next(c.__name__ for c in type(error).__mro__ if c.__module__ == "builtins")
    frames = _own_frames(error, root)
    file, line = "", 0
    if isinstance(error, SyntaxError):
        file, line = str(error.filename or ""), int(error.lineno or 0)
    elif frames:
        file, line = root + frames[-1][0], frames[-1][1]
    elif error.__traceback__ is not None:
        frame, line = list(walk_tb(error.__traceback__))[-1]
        file = frame.f_code.co_filename
    return {
        "failed": cause,
        "exception": builtin,
        "type": _encodable(type(error).__qualname__[:200]),
        "message": _message(error).replace(root, ""),
        "trace": _traceback(error, root),
        "frames": frames,
        "file": _encodable(file[:200]),
        "line": line,
    }


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an exception says that no memory could be allocated."""
    return isinstance(error, MemoryError) or (
        isinstance(error, RuntimeError | OSError)
        and any(words in _message(error) for words in _NO_MEMORY)
    )


def _own_frames(error: BaseException, root: str) -> list[list[Any]]:
    """The last frames in files below `root`: file, line and function, innermost last.

    Equal frames in a row, of a recursive function, are given once.
    """
    own = [
        [_encodable(file.removeprefix(root)[:200]), line, _encodable(frame.f_code.co_name[:80])]
        for frame, line in walk_tb(error.__traceback__)
        if (file := frame.f_code.co_filename).startswith(root)
    ]
    return [frame for frame, _ in itertools.groupby(own)][-_MAX_FRAMES:]


def _message(error: BaseException) -> str:
    try:
        text = str(error)
        return _encodable((shape_error(text) or text)[:_MAX_CHARACTERS])
    except BaseException:
        return "(its text cannot be read)"


def _traceback(error: BaseException, root: str) -> str:
    """An exception with those that led to it, as Python prints them, but for most lines of code.

    Tests of what a function refuses get thousands of exceptions, and hardly any is read. Python's
    own module takes ten times as long for one: it marks parts of lines, and looks for files that no
    worker can read.
    """
    try:
        parts: list[str] = []
        for one, joint in _chain(error):
            parts += [*_trace_frames(one, root), *format_exception_only(one), joint]
        return _encodable("".join(parts)[-_MAX_CHARACTERS:])
    except BaseException:  # its text raises, or a file's name holds a null byte
        return "(its traceback cannot be read)"


def _chain(error: BaseException) -> Iterator[tuple[BaseException, str]]:
    """An exception after those that led to it, each with what Python prints before the next."""
    chain = [(error, "")]
    while len(chain) < _MAX_CHAIN:
        error, _ = chain[-1]
        if error.__cause__ is not None:
            chain.append((error.__cause__, _CAUSED))
        elif error.__context__ is not None and not error.__suppress_context__:
            chain.append((error.__context__, _DURING))
        else:
            break
    return reversed(chain)


def _trace_frames(error: BaseException, root: str) -> Iterator[str]:
    """The lines of the innermost frames: repeated ones once, the submission's with their code."""
    if error.__traceback__ is not None:
        yield "Traceback (most recent call last):\n"
    places = ((frame.f_code, line) for frame, line in walk_tb(error.__traceback__))
    frames = [(place, len(list(equal))) for place, equal in itertools.groupby(places)]
    for (code, line), times in frames[-_MAX_TRACE_FRAMES:]:
        yield f'  File "{code.co_filename}", line {line}, in {code.co_name}\n'
        if code.co_filename.startswith(root):
            yield f"    {linecache.getline(code.co_filename, line).strip()}\n"
        if times > 1:
            yield f"  [Previous line repeated {times - 1} more times]\n"


def _encodable(text: str) -> str:
    """The text with lone surrogates, which UTF-8 cannot encode, as escapes."""
    return text.encode(errors="backslashreplace").decode()
