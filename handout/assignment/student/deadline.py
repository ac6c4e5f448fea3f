"""Ends a public test that runs longer than its exercise allows: where the code is, it raises.

The limit is `limits.seconds` of the manifest, as in the grader. CPU time of the test's thread
counts in full, and time spent asleep a third, so that a busy machine ends no test. No limit
strikes while a debugger is open, and no time counts in which the process was stopped.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import faulthandler
import os
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Generator
from types import FrameType
from typing import Any

import pluggy
import pytest

from assignment import manifest
from assignment.hooks import exercise_of, package_of

_ASLEEP = 3  # seconds asleep that count as one of CPU time
_STUCK = 4  # times the limit without any Python run: one call into C has not returned
_PERIOD = 0.25  # seconds between two looks at the clock
_RAISE_AGAIN = 1.0  # seconds until the next exception, if the code has caught the first one
_MAX_LATE = 2  # tests of an exercise that may take too long before the others are given up
GIVEN_UP = "two have taken too long"
# Nothing is raised while code of these files runs: it would not reach what stops the timer.
_NEVER_IN = {__file__, pluggy._callers.__file__}


class TookTooLong(BaseException):
    """A test has used up its time. No `except Exception` catches it."""


class Deadline:
    """Raises TookTooLong in the thread that has called `start`, until `stop`.

    Args:
        seconds: the limit.
        package: folder of the student's package. Imports by anything else are not counted: the
            first step of an optimizer loads half of torch.
        stderr: where the place of a call into C goes that never returns; the process ends then.
    """

    def __init__(self, seconds: float, package: str = "", stderr: int | None = None) -> None:
        self._seconds, self._package, self._stderr = seconds, package, stderr
        self._before: Any = None
        self._ended: threading.Event | None = None

    def start(self) -> None:
        # Both are moved on by time that does not count.
        self._began, self._began_cpu = time.monotonic(), time.thread_time()
        self._last_check = self._began, self._began_cpu
        self._has_raised = False
        if threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer"):
            self._before = signal.signal(signal.SIGALRM, self._check) or signal.SIG_DFL
            # Python forgets its handlers before it ends, and SIGALRM would then kill the process.
            atexit.register(signal.setitimer, signal.ITIMER_REAL, 0)
            signal.setitimer(signal.ITIMER_REAL, _PERIOD, _PERIOD)
        else:
            self._ended = threading.Event()
            arguments = (threading.get_ident(), self._ended)
            threading.Thread(target=self._wait_and_raise, args=arguments, daemon=True).start()
        self._expect_python()

    def stop(self) -> None:
        if self._ended is not None:
            self._ended.set()
        elif self._before is not None:
            signal.setitimer(signal.ITIMER_REAL, 0)
            atexit.unregister(signal.setitimer)
            signal.signal(signal.SIGALRM, self._before)
        self._ended = self._before = None
        if self._stderr is not None:
            faulthandler.cancel_dump_traceback_later()

    def _check(self, _: int, frame: FrameType | None) -> None:
        """Handles the timer's signal: raises if the code that it interrupts is out of time."""
        now, cpu = time.monotonic(), time.thread_time()
        elapsed = now - self._last_check[0]
        if self._is_importing(frame):
            self._began += elapsed
            self._began_cpu += cpu - self._last_check[1]
        else:  # what goes beyond two periods: the process was stopped, as by Ctrl-Z
            self._began += max(0.0, elapsed - 2 * _PERIOD)
        self._last_check = now, cpu
        used = max(cpu - self._began_cpu, (now - self._began) / _ASLEEP)
        must_not_raise = frame is not None and frame.f_code.co_filename in _NEVER_IN
        if used < self._seconds or must_not_raise or is_debugged():
            self._expect_python()
            return
        signal.setitimer(signal.ITIMER_REAL, _RAISE_AGAIN, _RAISE_AGAIN)
        if not self._has_raised:
            self._expect_python()
        self._has_raised = True
        raise TookTooLong

    def _expect_python(self) -> None:
        """Has the process end, with a traceback, unless this is called again in time.

        Only faulthandler can: it is C, and a call into C that does not return lets no Python run.
        A busy machine, slow imports or a debugger end nothing, since Python runs meanwhile. Code
        that catches every TookTooLong is ended: after the first, this is not called again.
        """
        if self._stderr is not None:
            faulthandler.dump_traceback_later(_STUCK * self._seconds, exit=True, file=self._stderr)

    def _is_importing(self, frame: FrameType | None) -> bool:
        """Whether a library is being imported at this moment, and no file of the student's."""
        while frame is not None:
            file = frame.f_code.co_filename
            if file.startswith("<frozen importlib"):
                return True
            if self._package and file.startswith(self._package):
                return False
            frame = frame.f_back
        return False

    def _wait_and_raise(self, thread: int, ended: threading.Event) -> None:
        """Where no signal can come, as on Windows: another thread waits, and imports count too.

        Its exception comes between two lines of Python; what sleeps is not woken up.
        """
        wait = self._seconds * _ASLEEP
        while not ended.wait(wait):
            wait = _RAISE_AGAIN
            if not is_debugged():
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(thread), ctypes.py_object(TookTooLong)
                )


def is_debugged() -> bool:
    """Whether a debugger may have stopped the code, so that its time says nothing."""
    monitoring = getattr(sys, "monitoring", None)  # from Python 3.12 on
    is_monitored = monitoring and monitoring.get_tool(monitoring.DEBUGGER_ID)
    return sys.gettrace() is not None or bool(is_monitored)


class TimeLimits:
    """The pytest plugin: each test of an exercise gets a `Deadline`."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._deadline: Deadline | None = None
        self._late_tests = Counter[str]()  # by exercise
        self._stderr: int | None = None
        with contextlib.suppress(OSError, AttributeError, ValueError):  # a stderr without a file
            self._stderr = os.dup(sys.stderr.fileno())

    @pytest.hookimpl(wrapper=True, trylast=True)  # innermost: only the test is interrupted
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
        if (exercise := exercise_of(pyfuncitem)) is None:
            return (yield)
        if self._late_tests[exercise] >= _MAX_LATE:
            pytest.skip(GIVEN_UP)
        self._deadline = Deadline(limit_of(exercise), str(package_of(self._config)), self._stderr)
        try:
            self._deadline.start()
            return (yield)
        except TookTooLong:
            self._late_tests[exercise] += 1
            raise
        finally:
            self._deadline.stop()
            self._deadline = None

    def pytest_enter_pdb(self) -> None:
        if self._deadline is not None:
            self._deadline.stop()

    def pytest_leave_pdb(self) -> None:
        if self._deadline is not None:
            self._deadline.start()

    def pytest_unconfigure(self) -> None:
        if self._stderr is not None:
            os.close(self._stderr)


def limit_of(exercise: str) -> float:
    """The seconds that a test of this exercise may take."""
    exercises = manifest.load()
    return exercises.limits_of(exercises[exercise]).seconds
