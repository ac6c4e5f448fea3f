"""Runs pytest in this process, on the grader's tests and with the grader's plugins alone."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from _pytest.assertion.rewrite import AssertionRewritingHook

from grader import signals
from grader.judge.failure import GraderFault
from grader.judge.markers import exercises_in

if TYPE_CHECKING:
    from grader.judge.plugin import GraderPlugin

_CONFIGURATION = Path(__file__).resolve().with_name("judge.ini")


class _Escaped:
    """Catches the exception that ends pytest as a whole, for `run_pytest` to raise it again."""

    error: BaseException | None = None

    def pytest_internalerror(self, excinfo: pytest.ExceptionInfo[BaseException]) -> bool:
        self.error = excinfo.value
        return True  # pytest prints nothing of it

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        if not isinstance(excinfo.value, pytest.Session.Interrupted):  # pytest's own, not a signal
            self.error = excinfo.value


def run_pytest(
    repository: Path,
    plugin: GraderPlugin,
    folders: Collection[str],
    nonce: str,
    *,
    only: Collection[str] = (),
    others: Sequence[object] = (),
) -> None:
    """Runs the tests in some folders below `repository/tests`.

    Args:
        repository: where the tests are.
        plugin: runs them.
        folders: such as "public" and "hidden".
        nonce: seeds their inputs.
        only: exercises; files that name none of them are not read. All files if empty.
        others: further plugins.

    Raises:
        GraderFault: pytest did not come to an end, or a file of tests cannot be read.
        BaseException: whatever `plugin` raised outside a test.
    """
    escaped = _Escaped()
    with plain_asserts(), _without_variables():
        status = pytest.main(
            [
                *("-c", str(_CONFIGURATION), "--rootdir", str(repository / "tests")),
                # The grader's own report shows failures; pytest's would parse whole files for it.
                *("--nonce", nonce, "--capture=no", "--tb=native"),
                *_files(repository, folders, only),
            ],
            plugins=[plugin, escaped, *others],
        )
    signals.raise_if_stopped()
    if escaped.error is not None:
        raise escaped.error
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        errors = "\n".join(plugin.collection_errors)
        raise GraderFault(f"the tests could not be run (pytest: {status!r})\n{errors}")


@contextmanager
def plain_asserts() -> Iterator[None]:
    """Keeps asserts plain, as `judge.ini` asks, also where a test of pytest's runs pytest.

    The outer pytest would rewrite them, and what it makes of them fails where the inner one, whose
    asserts are plain, has not escaped a "%".
    """
    finders = list(sys.meta_path)
    sys.meta_path[:] = [
        finder for finder in finders if not isinstance(finder, AssertionRewritingHook)
    ]
    try:
        yield
    finally:
        sys.meta_path[:] = finders


@contextmanager
def _without_variables() -> Iterator[None]:
    """Hides pytest's variables, such as PYTEST_ADDOPTS: they add options and load plugins."""
    names = [name for name in os.environ if name.startswith("PYTEST_")]
    hidden = {name: os.environ.pop(name) for name in names}
    try:
        yield
    finally:
        os.environ.update(hidden)


def _files(repository: Path, folders: Collection[str], only: Collection[str]) -> list[str]:
    """The files of tests. pytest reads all that are named, whatever a `conftest.py` ignores."""
    files = [
        file
        for folder in folders
        for file in sorted((repository / "tests" / folder).iterdir())
        if file.match("test_*.py") and (not only or exercises_in(file).keys() & set(only))
    ]
    if not files:  # without a path pytest would run what is in the working directory
        where = ", ".join(f"tests/{folder}" for folder in folders)
        raise GraderFault(f"no test of {', '.join(only) or 'any exercise'} in {where}")
    return list(map(str, files))
