"""Attacks that need more than a folder in `hostile/`: files beside the package, what one submission
leaves for the next, what is carried out, and answers at the wrong time.
"""

import re
import textwrap
from pathlib import Path

import pytest

from grader.judge import limits, process
from grader.judge.failure import SubmissionFailure
from grader.results.causes import Cause
from grader.results.record import to_json
from tests.harness.aftermath import assert_earns_nothing, assert_nothing_left, shown_to_the_student
from tests.harness.conftest import wait_until

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


def test_plugins_and_shadowing_modules_are_never_loaded(hurried, tmp_path, idle):
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
        "assignment/plain.py": loud,
        "grader/wire.py": loud,
        "resource_accounting/conftest.py": PASSES_ALL,
        "resource_accounting/evil.pth": "import os; os._exit(0)\n",
        "resource_accounting/strides.py": "def storage_index(*args):\n    return -1\n",
    }
    for name, text in beside.items():
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_text(text)
    grade = hurried.grade(tmp_path / "in", only=["storage_index"])
    assert_earns_nothing(grade, "storage_index", {Cause.WRONG_ANSWER})
    assert "loaded: a file" not in to_json(grade).decode()
    named = "\n".join(grade.left_out)
    for name in beside:
        if name != "resource_accounting/strides.py":
            first = name.split("/")[0]
            assert (name if first == "resource_accounting" else first) in named
    assert_nothing_left(hurried, idle)


# --- one submission and the next ---------------------------------------------------------------


def test_submission_sees_nothing_of_the_one_before(hurried, submit, tmp_path):
    leaves = """
        import os
        for folder in ("/tmp", "/scratch", "/dev/shm"):
            try:
                open(folder + "/left-by-the-first", "w").write("x")
            except OSError:
                pass
        def storage_index(*args):
            return 0
    """
    finds = """
        import os
        found = []
        for place in ("/tmp", "/scratch", "/submission", "/dev"):
            for here, _, files in os.walk(place):
                found += [here] if "left-by-the-first" in files else []
        found += [n for n in os.listdir("/submission") if n != "resource_accounting"]
        if found:
            raise RuntimeError(f"found: {found}")
        def storage_index(*args):
            return 0
    """
    for text in (leaves, finds):
        folder = tmp_path / str(len(text))
        (folder / "resource_accounting").mkdir(parents=True)
        (folder / "resource_accounting" / "strides.py").write_text(textwrap.dedent(text))
        grade = hurried.grade(folder, only=["storage_index"])
        (report,) = [m for m in grade.modules if m.module == "strides"]
        assert report.ok, report.message
        assert_earns_nothing(grade, "storage_index", {Cause.WRONG_ANSWER})


CARRIES = """
def storage_index(index, strides, offset=0):
    said = f"carried {list(index)} {list(strides)} {offset}"
    print(said, flush=True)
    raise type(said, (KeyError,), {})(said)
"""


def test_hidden_inputs_are_not_carried_out(hurried, submit):
    """Neither by what a submission prints, nor by an exception's text or class."""
    grade = hurried.grade(submit(strides=CARRIES), only=["storage_index"])
    said = {
        visibility: {
            line
            for check in grade.checks
            if check.visibility == visibility
            for line in re.findall(r"carried \[.*\] \d+", check.detail or "")
        }
        for visibility in ("public", "hidden")
    }
    shown = shown_to_the_student(grade)
    assert len(said["hidden"] - said["public"]) >= 3, "staff see it"
    assert not [line for line in said["hidden"] - said["public"] if line in shown]
    assert all(line in shown for line in said["public"]), "and of public tests, the student too"


def test_answer_before_the_question_is_never_read(sandboxed):
    """However well its number was guessed."""
    implementation = sandboxed(
        probe="import os, sys\n"
        "from grader import wire\n"
        "def f():\n"
        "    caller = sys._getframe(1)\n"
        "    while 'channel' not in caller.f_locals:\n"
        "        caller = caller.f_back\n"
        "    local = caller.f_locals\n"
        "    forged = b''\n"
        "    for number in (local['call_id'], local['call_id'] + 1):\n"
        "        parts = wire.encode(number, {'result': 'forged'})\n"
        "        forged += b''.join(bytes(part) for part in parts)\n"
        "    os.write(local['channel'], forged)  # at once, so both lie there\n"
        "    return 'honest'\n"
    )
    assert implementation.probe.f() == "forged"  # its own answer: any value is as good
    with pytest.raises(SubmissionFailure) as caught:
        implementation.probe.f()
    assert caught.value.cause is Cause.PROTOCOL


def test_answer_counts_though_the_process_ended_right_after_it(sandboxed, monkeypatch):
    """The judge looks at the process after the answer came, and before it read it"""
    implementation = sandboxed(probe="def f():\n    return bytes(100)\n")
    implementation.probe.f()
    running = implementation._worker

    def ended(_: int) -> None:
        assert wait_until(running.has_answer)

    monkeypatch.setattr(process, "resident", ended)
    monkeypatch.setattr(limits, "_CHECK_SECONDS", 600.0)  # not between the calls
    assert implementation.probe.f() == bytes(100)


def test_peak_of_a_process_that_is_gone_is_its_own_fault(sandboxed):
    """Whoever dies after an answer cannot be measured: that must not read as "took nothing"."""
    implementation = sandboxed(
        probe="import os, threading\n"
        "def f():\n"
        "    threading.Timer(0.05, os._exit, [0]).start()\n"
        "    return bytes(100)\n"
    )
    assert implementation.probe.f() == bytes(100)
    pid = implementation._worker.pid
    assert wait_until(lambda: "VmHWM" not in Path(f"/proc/{pid}/status").read_text())
    with pytest.raises(SubmissionFailure) as caught:
        implementation.peak_rss()
    assert caught.value.cause is Cause.DIED
