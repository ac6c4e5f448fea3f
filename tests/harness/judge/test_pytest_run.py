"""The judge's run of pytest within this one."""

import sys

from assignment import manifest
from grader.judge.plugin import GraderPlugin
from grader.judge.pytest_run import run_pytest

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
    finders, collected = list(sys.meta_path), []
    plugin = GraderPlugin(manifest.load(), tmp_path / "tests" / "public", collected.extend)
    run_pytest(tmp_path, plugin, ("hidden",), "nonce")
    assert [test.exercise.id for test in collected] == ["storage_bytes"]
    assert sys.meta_path == finders
