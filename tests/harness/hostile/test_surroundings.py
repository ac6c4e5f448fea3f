"""Attacks by files beside the package, and by output."""

import re

from grader.causes import Cause
from grader.results.record import to_json
from tests.harness.hostile.assertions import (
    assert_earns_nothing,
    assert_nothing_left,
    student_outputs,
)

# --- files beside the package ------------------------------------------------------------------

PASSES_ALL = """
import pytest

@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    report.outcome = "passed"
    report.longrepr = None
"""


def test_plugins_and_shadowing_modules_are_never_loaded(quick_grader, tmp_path, idle_processes):
    loud = "raise RuntimeError('loaded: " + "a file beside the package')\n" + PASSES_ALL
    beside = {
        "conftest.py": PASSES_ALL,
        "torch.py": loud,
        "pytest.py": loud,
        "numpy/__init__.py": loud,
        "sitecustomize.py": loud,
        "usercustomize.py": loud,
        "evil.pth": "import os; os._exit(0)\n",
        "pytest.ini": "[pytest]\naddopts = -p conftest\n",
        "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-p conftest'\n",
        "setup.cfg": "[tool:pytest]\naddopts = -p conftest\n",
        "tests/hidden/test_strides.py": "def test_nothing():\n    pass\n",
        "assignment/calls/plain.py": loud,
        "grader/wire/frames.py": loud,
        "resource_accounting/conftest.py": PASSES_ALL,
        "resource_accounting/evil.pth": "import os; os._exit(0)\n",
        "resource_accounting/strides.py": "def storage_index(*args):\n    return -1\n",
    }
    for name, text in beside.items():
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_text(text)
    grade = quick_grader.grade(tmp_path / "in", only=["storage_index"])
    assert_earns_nothing(grade, "storage_index", {Cause.WRONG_ANSWER})
    assert "loaded: a file" not in to_json(grade).decode()
    named = "\n".join(grade.left_out)
    for name in beside:
        if name != "resource_accounting/strides.py":
            first = name.split("/")[0]
            assert (name if first == "resource_accounting" else first) in named
    assert_nothing_left(quick_grader, idle_processes)


# --- hidden inputs in what students read --------------------------------------------------------

PRINTS_ITS_INPUTS = """
def storage_index(index, strides, offset=0):
    said = f"carried {list(index)} {list(strides)} {offset}"
    print(said, flush=True)
    raise type(said, (KeyError,), {})(said)
"""


def test_hidden_inputs_are_not_shown(quick_grader, submit):
    """Neither from output, nor from an exception's message or class"""
    grade = quick_grader.grade(submit(strides=PRINTS_ITS_INPUTS), only=["storage_index"])
    carried = {
        visibility: {
            line
            for check in grade.checks
            if check.visibility == visibility
            for line in re.findall(r"carried \[.*\] \d+", check.detail or "")
        }
        for visibility in ("public", "hidden")
    }
    shown = student_outputs(grade)
    assert len(carried["hidden"] - carried["public"]) >= 3, "staff see them"
    assert not [line for line in carried["hidden"] - carried["public"] if line in shown]
    assert all(line in shown for line in carried["public"]), "students see those of public tests"
