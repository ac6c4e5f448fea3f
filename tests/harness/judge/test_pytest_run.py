"""The judge's run of pytest within this one."""

import gc
import os
import re
import secrets
import sys
from contextlib import contextmanager
from importlib import metadata
from types import SimpleNamespace

import pytest
import torch

from assignment import manifest
from grader.causes import Cause
from grader.faults import GraderFault, TooMuchWork
from grader.judge import session as sessions
from grader.judge.session import Attempt, collected
from grader.judge.shown import KeptCalls
from tests.harness import warm
from tests.harness.conftest import REPOSITORY, lent

ASSERTS = """
import pytest
try:
    assert [1] == [2]
except AssertionError as error:
    assert str(error) == "", "pytest has rewritten the assert"

@pytest.mark.exercise("storage_bytes")
def test_nothing(impl): pass
"""


def test_asserts_are_plain_within_a_test(tmp_path):
    """A test that runs pytest does not rewrite the asserts of the tests in there"""
    (tmp_path / "tests" / "hidden").mkdir(parents=True)
    (tmp_path / "tests" / "hidden" / "test_plain_asserts.py").write_text(ASSERTS)
    finders = list(sys.meta_path)
    assert collect(tmp_path) == ["storage_bytes"]
    assert sys.meta_path == finders


@pytest.fixture
def repository(tmp_path):
    """A repository of two hidden tests, in files that no other test has."""
    (tmp_path / "tests" / "hidden").mkdir(parents=True)
    for exercise in ("storage_index", "gather"):
        name = f"test_{secrets.token_hex(4)}.py"  # Python caches test modules by name
        text = f"import pytest\n@pytest.mark.exercise('{exercise}')\ndef test_it(impl): pass\n"
        (tmp_path / "tests" / "hidden" / name).write_text(text)
    return tmp_path


def collect(repository, *others, only=()):
    """The exercises whose tests would run."""
    with collected(manifest.load(), repository, ("hidden",), only, others) as session:
        return [test.exercise.id for test in session.tests]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PYTEST_ADDOPTS", "-k nothing"),
        ("PYTEST_ADDOPTS", "--ex gather"),
        ("PYTEST_ADDOPTS", "-n auto"),
        ("PYTEST_ADDOPTS", "--no-such-option"),
        ("PYTEST_PLUGINS", "no_such_plugin"),
    ],
)
def test_variables_of_pytest_choose_no_tests(repository, monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    assert collect(repository) == ["storage_index", "gather"]
    assert os.environ[name] == value


def test_plugin_that_is_installed_is_not_loaded(repository, monkeypatch):
    installed = repository / "beside-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: beside\nVersion: 1.0\n")
    (installed / "entry_points.txt").write_text("[pytest11]\nbeside = no_such_plugin\n")
    monkeypatch.syspath_prepend(str(repository))
    assert "beside" in {entry.name for entry in metadata.entry_points(group="pytest11")}
    assert len(collect(repository)) == 2


class Removes:
    """A plugin that takes a test away."""

    @staticmethod
    def pytest_collection_modifyitems(items):
        del items[0]


def test_test_that_is_left_out_is_a_fault(repository):
    with pytest.raises(GraderFault, match=r"left out: hidden/test_\w+\.py::test_it$"):
        collect(repository, Removes)
    assert collect(repository, only=["storage_index"]) == ["storage_index"]


def test_file_that_is_skipped_is_a_fault(repository):
    file = next(repository.glob("tests/hidden/*.py"))
    file.write_text(f"import pytest\npytest.importorskip('no_such_module')\n{file.read_text()}")
    with pytest.raises(GraderFault, match=f"{file.name}.*no_such_module"):
        collect(repository)


def test_file_that_is_ignored_is_read(repository, monkeypatch):
    # pytest caches this module by name: that of the repository stays, and this one does not.
    monkeypatch.setitem(sys.modules, "hidden.conftest", None)
    monkeypatch.delitem(sys.modules, "hidden.conftest")
    (repository / "tests" / "hidden" / "conftest.py").write_text("collect_ignore_glob = ['*']")
    assert len(collect(repository)) == 2


class Strikes:
    """A plugin in which the limit on the judge's own work strikes: outside the test's code."""

    def __init__(self, error):
        self.error = error

    def pytest_runtest_logreport(self, report):
        if report.when == "call":
            raise self.error


@pytest.mark.parametrize(
    ("error", "cause"), [(TooMuchWork("long"), Cause.TIMEOUT), (MemoryError(), Cause.TOO_LARGE)]
)
def test_limit_that_strikes_between_a_test_and_its_report_is_its_failure(repository, error, cause):
    """Once it was the grader's fault, and the submission had no score"""
    ended = []

    @contextmanager
    def implementation(test):
        yield SimpleNamespace(requests=1, calls=KeptCalls(0), output="", charged=0.0)
        ended.append(test.exercise.id)

    context = sessions.TestContext("n", repository, implementation)
    folders = ("hidden",)
    with collected(manifest.load(), repository, folders, (), [Strikes(error)]) as session:
        assert [session.run(test, context).check.cause for test in session.tests] == [cause] * 2
    assert set(ended) == {"storage_index", "gather"}


def test_exercise_without_tests_runs_nothing_else(repository, monkeypatch):
    monkeypatch.chdir(repository)
    with pytest.raises(GraderFault, match="no test of no_such_exercise in tests/hidden"):
        collect(repository, only=["no_such_exercise"])


def test_warnings_fail_nothing(repository):
    """These tests turn them into errors; a grading does not"""
    file = next(repository.glob("tests/hidden/*.py"))
    file.write_text(f"import warnings\nwarnings.warn('of a library')\n{file.read_text()}")
    assert len(collect(repository)) == 2


def test_nothing_of_a_run_outlives_it(grader):
    """A grader of many submissions does not grow: no run is kept, and no graph of torch's."""

    def alive() -> int:
        gc.collect()
        return sum(type(o) is Attempt or isinstance(o, torch.Tensor) for o in gc.get_objects())

    with lent(grader, _lanes=1):
        grader.grade(REPOSITORY / "solutions", only=["largest_batch"])
        before = alive()
        grader.grade(REPOSITORY / "solutions", only=["largest_batch"])
        assert alive() == before


def test_hidden_test_draws_no_inputs_of_a_public_one_of_its_name(tmp_path):
    """A public test's report shows its inputs; once both had one seed"""
    for folder in ("public", "hidden"):
        (tmp_path / folder).mkdir()
        code = "def test_it(seed):\n    print('seed', seed)\n"
        (tmp_path / folder / "test_it.py").write_text(code)
    options = ("-sqc", os.devnull, "--import-mode=importlib", "--nonce", "5eed")
    done = warm.run("-m", "pytest", "-p", "assignment.plugin", *options, ".", cwd=tmp_path)
    seeds = re.findall(r"seed (\d+)", done.stdout)
    assert len(seeds) == len(set(seeds)) == 2, done.stdout
