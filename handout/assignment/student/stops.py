"""Where the student's code is when a run stops: by Ctrl-C, in a debugger, or by `os._exit`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NoReturn

import pytest

from assignment.hooks import exercise_of, package_of, title_of
from assignment.student.failures import Failure, Raised


class Stops:
    """A pytest plugin, for `--progress`."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._item: pytest.Item | None = None
        self._impl: Any = None
        self._where_it_was = ""
        self._exit, self._pid = os._exit, os.getpid()
        os._exit = self._raise_instead

    def _raise_instead(self, status: int) -> NoReturn:
        """In place of `os._exit`, which would end the run without a word, and with status 0."""
        if os.getpid() != self._pid:  # a child ends as it likes
            self._exit(status)
        raise SystemExit(f"os._exit({status})")

    def pytest_unconfigure(self) -> None:
        os._exit = self._exit

    def pytest_runtest_logstart(self) -> None:
        self._item = None  # the last test is over

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> None:
        self._item, self._impl = item, getattr(item, "funcargs", {}).get("impl")

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self, excinfo: Raised) -> None:
        """Keeps where the code was, for the summary."""
        if self._item is None or not isinstance(excinfo.value, KeyboardInterrupt):
            return  # no test was running, or a debugger was quit
        if (exercise := exercise_of(self._item)) is not None:
            failure = Failure(self._item, exercise, excinfo, self._impl)
            self._where_it_was = f"{title_of(self._item)}\n{failure.explain()}"

    @pytest.hookimpl(tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self._where_it_was:
            terminalreporter.write_line(f"\n{self._where_it_was}")

    @pytest.hookimpl(tryfirst=True)
    def pytest_exception_interact(self, node: Any, call: Any) -> None:
        """Cuts the traceback, so that `--pdb` opens in the student's code, or else in the test."""
        if not self._config.getoption("usepdb"):
            return
        package, trace = package_of(self._config), call.excinfo.tb
        own = test = None  # the innermost place in each
        while trace is not None:
            file = Path(trace.tb_frame.f_code.co_filename)
            if package in file.parents:
                own = trace
            elif file == node.path:
                test = trace
            trace = trace.tb_next
        if last := own or test:
            last.tb_next = None
