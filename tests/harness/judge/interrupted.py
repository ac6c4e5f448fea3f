"""Raises an exception at any step of the judge's code, as a signal does."""

import itertools
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from types import FrameType
from typing import Any

from grader.faults import GraderFault
from grader.signals import Stopped
from tests.harness.conftest import REPOSITORY

FILES = {
    str(path)
    for pattern in ("judge/*.py", "supervisor/*.py", "intake/*.py", "wire/claims.py", "faults.py")
    for path in (REPOSITORY / "grader").glob(pattern)
}


def interrupted(
    new_rig: Callable[[], Any],
    run: Callable[[Any], object],
    error: Callable[[], BaseException] = lambda: Stopped("a test"),
    stride: int = 1,
) -> Iterator[tuple[int, Any]]:
    """Runs something with a new rig again and again, interrupted `stride` steps later each time.

    A step is one instruction of a file of `FILES`. Yields the number of the step and the rig after
    each run that met the error, and returns after the first run that came to its end before.
    """
    for step in itertools.count(random.randrange(stride), stride):
        with closing(new_rig()) as rig:
            raised = error()
            try:
                met = with_exception_at(step, partial(run, rig), raised) == -1
            except type(raised):
                met = True
            except GraderFault:  # what the judge makes of an error of the machine, not of a signal
                if isinstance(raised, Stopped):
                    raise
                met = True
            if not met:
                return
            yield step, rig


def with_exception_at(
    step: int, run: Callable[[], object], error: BaseException | None = None
) -> int:
    """Runs something, and raises an error in it before the step with this number, from 0.

    The error is Stopped if None. Returns how many of these steps were left at the end; -1 if it was
    raised.
    """
    left = step

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        if frame.f_code.co_filename not in FILES:
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode":
            left -= 1
            if left == -1:
                raise error or Stopped("a test")
        return trace

    before = sys.gettrace()
    sys._getframe().f_trace_opcodes = True  # else the first run in Python 3.12 traces none
    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(before)
    return left
