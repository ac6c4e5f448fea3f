"""The time limit of public tests, and where the code is when a run stops."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from functools import partial

import pytest

from assignment.deadline import Deadline, TookTooLong
from grader.authoring import handout
from tests.harness.conftest import MAX_WAIT

ENDLESS = "def matmul_flops(B, D, K):\n    left, done = 3, 0\n    while left:\n        done = B\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A handout whose tests may take a second."""
    folder = tmp_path_factory.mktemp("deadline") / "handout"
    handout.build(folder)
    limits = folder / "assignment" / "assignment.toml"
    text = limits.read_text(encoding="utf-8")
    limits.write_text(text.replace("\nseconds = 10 ", "\nseconds = 1 "), encoding="utf-8")
    return folder


def pytest_in(folder, code, *options, stdin="", end=None):
    """Runs pytest on `matmul_flops` with this code; `end` may end it. Returns all that it says."""
    stub = (folder / "assignment" / "stubs" / "flops.py").read_text(encoding="utf-8")
    (folder / "resource_accounting" / "flops.py").write_text(f"{stub}\n\n{code}", encoding="utf-8")
    outer = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "MAKE"))}
    run = subprocess.Popen(
        [sys.executable, "-X", "utf8", "-m", "pytest", "--ex", "matmul_flops", "-x", *options],
        cwd=folder,
        env=outer | {"COLUMNS": "80", "PYTEST_ADDOPTS": "-p no:hypothesispytest"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        # A shell ignores it for what it starts in the background, and programs inherit that.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )
    if end is not None:
        end(run)
    return run.communicate(stdin, timeout=MAX_WAIT)[0]


def spin(caught):
    """Runs until a deadline ends it, like a loop of a student's."""
    deadline = Deadline(0.1)
    deadline.start()
    try:
        while True:
            try:
                time.sleep(0.001)
            except Exception:
                continue
    except TookTooLong as error:
        caught.append(error)
    finally:
        deadline.stop()


def test_a_loop_ends_in_the_main_thread_and_in_another():
    caught = []
    spin(caught)
    other = threading.Thread(target=spin, args=(caught,))
    other.start()
    other.join(MAX_WAIT)
    assert len(caught) == 2


def test_a_deadline_that_was_stopped_ends_nothing():
    deadline = Deadline(0.05)
    deadline.start()
    deadline.stop()
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_no_limit_strikes_while_the_code_is_traced(monkeypatch):
    """As a debugger does that is no pdb of pytest's"""
    deadline = Deadline(0.001)
    deadline.start()
    try:
        deadline._began -= 1000
        monkeypatch.setattr(sys, "gettrace", lambda: print)
        deadline._strike(signal.SIGALRM, None)
        monkeypatch.setattr(sys, "gettrace", lambda: None)
        with pytest.raises(TookTooLong):
            deadline._strike(signal.SIGALRM, None)
    finally:
        deadline.stop()


def test_time_of_imports_by_others_is_not_counted():
    deadline = Deadline(10.0)
    deadline.start()
    try:
        deadline._began -= 1000
        deadline._looked = (deadline._looked[0] - 1000, deadline._looked[1])
        importing = compile("import_frame()", "<frozen importlib._bootstrap>", "exec")
        exec(importing, {"import_frame": lambda: deadline._strike(0, sys._getframe())})
        deadline._began -= 1000
        with pytest.raises(TookTooLong):
            deadline._strike(signal.SIGALRM, None)
    finally:
        deadline.stop()


def test_an_endless_loop_is_shown_with_its_variables(folder):
    said = pytest_in(folder, ENDLESS)
    assert "wrong: still running after 1 s, the limit of this exercise" in said
    assert "call:     flops.matmul_flops(1, 3, 1)" in said
    shown = r"resource_accounting/flops.py:\d+ matmul_flops\n +(while left:|done = B)\n"
    assert re.search(shown, said), said
    assert "      left is 3\n" in said
    assert "      done is 1\n" in said


def test_a_call_that_lets_no_python_run_ends_the_process_with_its_place(folder):
    said = pytest_in(
        folder, "import itertools\n\n\ndef matmul_flops(*_):\n    sum(itertools.repeat(1))\n"
    )
    assert re.search(r"Timeout \(0:00:04\)!", said)
    assert re.search(r'resource_accounting/flops.py", line \d+ in matmul_flops', said), said


def run_under_deadline(code):
    """The exit status of a process that runs this code under a `deadline` of 0.2 s."""
    start = (
        "import sys, time\nfrom assignment.deadline import Deadline\n"
        "deadline = Deadline(0.2, stderr=2)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", start + code], capture_output=True, timeout=MAX_WAIT
    )
    return run.returncode


def test_a_slow_machine_ends_no_process_in_which_python_runs():
    """As where a debugger is open, or where a library is imported for long"""
    code = (
        "deadline._is_importing = lambda _: True\n"
        "deadline.start()\n"
        "end = time.monotonic() + 2\n"
        "while time.monotonic() < end: pass\ndeadline.stop()\n"
    )
    assert run_under_deadline(code) == 0


def test_code_that_catches_every_exception_is_ended():
    code = (
        "deadline.start()\nwhile True:\n    try:\n        while True: pass\n"
        "    except BaseException: pass\n"
    )
    assert run_under_deadline(code) == 1


def test_ctrl_c_shows_where_the_code_was(folder):
    mark = folder / "running"
    code = ENDLESS.replace("    while", f"    open({str(mark)!r}, 'w').close()\n    while")
    limits = folder / "assignment" / "assignment.toml"
    text = limits.read_text(encoding="utf-8")
    limits.write_text(text.replace("\nseconds = 1 ", "\nseconds = 1000 "), encoding="utf-8")

    def interrupt(run):
        end = time.monotonic() + MAX_WAIT
        while not mark.exists():
            assert time.monotonic() < end
            time.sleep(0.01)
        run.send_signal(signal.SIGINT)

    try:
        said = pytest_in(folder, code, end=interrupt)
    finally:
        limits.write_text(text, encoding="utf-8")
    assert "stopped by Ctrl-C\n  call:     flops.matmul_flops(1, 3, 1)\n" in said
    assert re.search(r"resource_accounting/flops.py:\d+ matmul_flops\n", said)
    assert "    left is 3\n" in said


def test_a_debugger_stops_in_the_students_code(folder):
    code = (
        "import json\n\n\n"
        "def matmul_flops(B, D, K):\n    secret = 'mine'\n    return json.loads('{')\n"
    )
    said = pytest_in(folder, code, "--pdb", stdin="p secret\nq\n")
    assert "(Pdb) 'mine'" in said


def test_no_limit_strikes_at_a_breakpoint(folder):
    """Its time begins anew when the code goes on"""
    code = (
        "import time\n\n\n"
        "def matmul_flops(B, D, K):\n"
        "    breakpoint()\n    time.sleep(0.6)\n    return 2 * B * D * K\n"
    )
    wait = "import threading; threading.Event().wait(4)"  # more than three times the limit
    said = pytest_in(folder, code, stdin=f"{wait}\nc\n" + "c\n" * 20)
    assert "still running" not in said
    assert "passed" in said
