"""Collects the grader's tests with pytest, and runs each in the context that it is given.

All state of a submission is in the context, and all state of one run in an `Attempt`. A session
keeps only what pytest collected.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from _pytest.assertion.rewrite import AssertionRewritingHook
from _pytest.config import _prepareconfig

from assignment.calls.implementation import Implementation
from assignment.hooks import PROVIDER, SHARED_FOLDERS, exercise_of
from assignment.manifest import Manifest
from grader import signals, trace
from grader.faults import GraderFault, Killed, TooMuchWork, is_out_of_memory
from grader.judge.markers import exercises_in
from grader.judge.verdict import Graded, GradedTest, Outcome, graded_tests, outcome_of_run
from grader.races.runner import TimingRunner
from grader.results.record import Fit, Timing, Truth


@dataclass(frozen=True)
class TestContext:
    """What tests of one submission run with."""

    nonce: str  # seeds their inputs
    shared_folders: Path  # for folders that tests write and workers may read
    implementation: Callable[[GradedTest], AbstractContextManager[Any]]  # makes and ends an `impl`
    timing: TimingRunner | None = None  # runs tests on a device, if there are any


@dataclass
class Attempt:
    """One run of one test."""

    test: GradedTest
    context: TestContext
    implementation: Graded | None = None  # its `impl`, once it has one
    measured: Timing | Fit | Truth | None = None  # by a fixture of timing, once that came to an end
    # Whether the machine may be why it failed: a SIGKILL ended the worker during a call (`Killed`),
    # or memory could not be had.
    may_be_machine_error: bool = False
    outcome: Outcome | None = None

    def note(self, error: BaseException | None, seconds: float) -> None:
        """Sets the outcome, that of a call or of a failed setup or teardown. The last counts."""
        self.may_be_machine_error |= isinstance(error, Killed) or is_out_of_memory(error)
        self.outcome = outcome_of_run(self.test, error, self.implementation, self.measured, seconds)


ATTEMPT: pytest.StashKey[Attempt] = pytest.StashKey()  # the run under way


@dataclass(eq=False)
class Session:
    """Collected tests, which run any number of times."""

    tests: Sequence[GradedTest]  # in the manifest's order

    def run(self, test: GradedTest, context: TestContext) -> Outcome:
        """Runs one test; again if the machine may be why it failed: the second outcome counts."""
        attempt = self._attempt(test, context)
        if attempt.may_be_machine_error:
            attempt = self._attempt(test, context)
        assert attempt.outcome is not None, "pytest reports each test's call, or what prevented it"
        return attempt.outcome

    def _attempt(self, test: GradedTest, context: TestContext) -> Attempt:
        """Runs a test once, with fixtures of its module made anew; a signal ends it."""
        trace.event(f"test {test.id}")
        item = test.item
        item.stash[ATTEMPT] = attempt = Attempt(test, context)
        item.config.option.nonce = context.nonce
        item.config.stash[SHARED_FOLDERS] = context.shared_folders
        with _without_variables():
            try:
                # Without a next item, module fixtures end with the test: the next test is not
                # known yet.
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            except BaseException as error:  # outside the test's code: its fixtures are still open
                exhausted = isinstance(error, MemoryError | TooMuchWork)  # by an answer (effort.py)
                if exhausted:
                    attempt.note(error, 0.0)
                item.session._setupstate.teardown_exact(None)
                if not exhausted:  # a signal, or a fault
                    raise
            finally:
                del item.stash[ATTEMPT]  # what it holds would live until this test's next run
        signals.raise_if_stopped()
        trace.event(f"{attempt.outcome.check.state if attempt.outcome else 'no outcome'} {test.id}")
        return attempt


class _Plugin:
    """Chooses and sorts the tests, gives each its `impl`, and notes what comes of it."""

    def __init__(self, manifest: Manifest, public: Path, only: Collection[str]) -> None:
        self._manifest, self._public, self._only = manifest, public, only
        self._errors: list[str] = []
        self._collected: list[pytest.Item] = []

    def tests(self, session: pytest.Session) -> list[GradedTest]:
        """The collected tests; raises GraderFault if any that belongs to the grade is missing."""
        if self._errors or session.testsfailed:
            errors = "\n".join(self._errors)
            raise GraderFault(f"the tests could not be collected\n{errors}")
        kept = set(session.items)
        wanted = [i for i in self._collected if not self._only or exercise_of(i) in self._only]
        if missing := [item.nodeid for item in wanted if item not in kept]:
            raise GraderFault(f"tests that belong to the grade were left out: {', '.join(missing)}")
        return graded_tests(session.items, self._manifest, self._public)

    @contextmanager
    def _provide(self, request: pytest.FixtureRequest) -> Iterator[Implementation]:
        """The `impl` of one test."""
        attempt = request.node.stash[ATTEMPT]
        with attempt.context.implementation(attempt.test) as implementation:
            attempt.implementation = implementation
            yield implementation

    # --- hooks ---------------------------------------------------------------------------------

    def pytest_configure(self, config: pytest.Config) -> None:
        config.stash[PROVIDER] = self._provide

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if not report.passed:  # a file that is skipped, too
            self._errors.append(f"{report.nodeid}: {report.longreprtext[-2000:]}")

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        self._collected.append(item)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keeps the exercises to run, in the manifest's order; in each, public tests come first."""
        order = {exercise.id: i for i, exercise in enumerate(self._manifest)}
        unknown = [item for item in items if exercise_of(item) not in order]
        self._errors += [f"{item.nodeid} names no exercise" for item in unknown]
        if self._only:
            items[:] = [i for i in items if exercise_of(i) in self._only]
        items.sort(
            key=lambda item: (
                order.get(exercise_of(item) or "", -1),
                not item.path.is_relative_to(self._public),
            )
        )

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Iterator[None]:
        report = yield
        if call.when == "call" or call.excinfo is not None:
            error = call.excinfo.value if call.excinfo else None
            item.stash[ATTEMPT].note(error, call.duration)
        return report


_CONFIGURATION = Path(__file__).resolve().with_name("judge.ini")


@contextmanager
def collected(
    manifest: Manifest,
    repository: Path,
    folders: Collection[str],
    only: Collection[str] = (),
    plugins: Sequence[object] = (),
) -> Iterator[Session]:
    """Collects the tests in some folders below `repository/tests`, for as long as the context.

    Those of the exercises `only`, if there are any: files that name none of them are not read.
    `plugins` are pytest's, beside the one that this needs.

    Raises:
        GraderFault: there are no such tests, a file of them cannot be read, or pytest fails.
    """
    plugin = _Plugin(manifest, repository / "tests" / "public", only)
    # The grader's own report shows failures; pytest's would parse whole files for it.
    top = str(repository / "tests")
    # Without a limit pytest looks at all there is in the folders above, which in /tmp is much.
    arguments = ["-c", str(_CONFIGURATION), "--rootdir", top, "--confcutdir", top]
    arguments += ["--capture=no", "--tb=native", *_files(repository, folders, only)]
    with ExitStack() as stack:
        try:
            with plain_asserts(), _without_variables():
                # The steps of `pytest.main`, which ends what it has collected when it returns.
                config = _prepareconfig(arguments, [plugin, *plugins])
                stack.callback(config._ensure_unconfigure)
                session = pytest.Session.from_config(config)
                config._do_configure()
                config.hook.pytest_sessionstart(session=session)
                stack.callback(config.hook.pytest_sessionfinish, session=session, exitstatus=0)
                config.hook.pytest_collection(session=session)
            tests = plugin.tests(session)
        except GraderFault:
            raise
        except Exception as error:
            signals.raise_if_stopped()
            raise GraderFault(f"the tests could not be collected: {error!r}") from error
        signals.raise_if_stopped()
        yield Session(tests)


@contextmanager
def plain_asserts() -> Iterator[None]:
    """Keeps asserts plain, as `judge.ini` asks, also where a test of pytest's runs pytest.

    The outer pytest would rewrite them, and what it makes of them fails where the inner one, whose
    asserts are plain, has not escaped a "%".
    """
    finders = list(sys.meta_path)
    sys.meta_path[:] = [f for f in finders if not isinstance(f, AssertionRewritingHook)]
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
    """The files of tests, at least one. pytest reads all, whatever a `conftest.py` ignores."""
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
