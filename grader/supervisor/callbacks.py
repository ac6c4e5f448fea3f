"""Functions of a test that a worker uses during a call: counts the uses, and answers them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from assignment.calls.callbacks import MAX_USES, KillProcess, function_of
from grader.causes import Cause
from grader.faults import (
    GraderFault,
    SubmissionFailure,
    builtin_named,
    is_machine_error,
    is_out_of_memory,
)
from grader.wire import frames


class Use(NamedTuple):
    """One use of a function, as a worker asked for it."""

    function: int
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


class Callbacks:
    """The functions and generators among the arguments of one call, by number.

    The submission's code controls the process that uses them: what they are given is untrusted, and
    there is a limit to their uses. That they are used, when, and in which order, is certain.
    """

    def __init__(self) -> None:
        self._functions: list[Callable[..., Any]] = []
        self._uses = 0  # in the present request
        # What uses, replies and answers may still hold, of the call and of all items of the
        # iterator that it returns. A test may keep all of that. The request has its own room.
        self.room = frames.DEFAULT_CAPS

    def add(self, value: Any) -> int:
        """Numbers a function or a generator of the test's."""
        self._functions.append(function_of(value))
        return len(self._functions) - 1

    def begin(self) -> None:
        """A request begins, which counts its uses from 0."""
        self._uses = 0

    def use_in(self, message: Any) -> Use | None:
        """The use that a worker's message asks for; None if it is the answer to the request.

        Raises SubmissionFailure for a use of no function, out of order, or one too many.
        """
        if not isinstance(message, dict) or message.keys() != {"use", "function", "args", "kwargs"}:
            return None
        number, args, kwargs = message["function"], message["args"], message["kwargs"]
        is_known = type(number) is int and 0 <= number < len(self._functions)
        is_next = type(message["use"]) is int and message["use"] == self._uses
        are_keywords = type(kwargs) is dict and all(type(name) is str for name in kwargs)
        if not (is_known and is_next and type(args) is tuple and are_keywords):
            raise SubmissionFailure(Cause.PROTOCOL, "a use of a function has an unknown form")
        self._uses += 1
        if self._uses > MAX_USES:
            raise SubmissionFailure(
                Cause.PROTOCOL, f"functions of the test were used more than {MAX_USES} times"
            )
        return Use(number, args, kwargs)

    def run(self, use: Use) -> dict[str, Any]:
        """Runs the function; returns the message that answers the use.

        An exception goes to the worker as the built-in class of the same name, or as Exception. A
        failed assertion is the test's verdict, and is raised here. A lack of the machine's is a
        GraderFault: it must not count against the submission.

        Raises:
            AssertionError, KillProcess, GraderFault, SubmissionFailure: the function raised it.
        """
        try:
            return {"returned": self._functions[use.function](*use.args, **use.kwargs)}
        except (AssertionError, KillProcess, GraderFault, SubmissionFailure):
            raise  # the last two come from what the function asked of the worker's process
        except StopIteration:
            return {"raised": "StopIteration", "args": ()}
        except Exception as error:
            if is_machine_error(error) or is_out_of_memory(error):
                raise GraderFault(
                    f"a function of the test failed: {str(error) or type(error).__name__}"
                ) from error
            name = builtin_named(type(error).__name__).__name__
            # Python names a function after the test that defines it.
            text = str(error.args[0]).rpartition("<locals>.")[2] if error.args else ""
            return {"raised": name, "args": (text,)}
