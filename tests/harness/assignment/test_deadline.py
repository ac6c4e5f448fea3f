"""The time limit of public tests, and where the code is when a run stops."""

import ast
import os
import re
import signal
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import pluggy
import pytest

from assignment.student import deadline as module
from assignment.student import frames
from assignment.student.deadline import Deadline, TookTooLong
from assignment.student.stops import Stops
from tests.harness import warm
from tests.harness.assignment.students import environment, set_limit
from tests.harness.conftest import MAX_WAIT, wait_until

ENDLESS = "def matmul_flops(B, D, K):\n    left, done = 3, 0\n    while left:\n        done = B\n"

# A clock that goes on by far more than the limit.
LATER = "time.thread_time = lambda now=time.thread_time: now() + 1000"


@pytest.fixture(scope="module")
def folder(shared_workspace):
    """A handout with a limit of 1.5 s: a stop of 5 s is no call of 6 s that does not return."""
    set_limit(shared_workspace, 1.5)
    return shared_workspace


def pytest_in(folder, code, *options, stdin=""):
    """Runs pytest on `matmul_flops` with this code. Returns all that it says."""
    stub = (folder / "assignment" / "stubs" / "flops.py").read_text(encoding="utf-8")
    (folder / "resource_accounting" / "flops.py").write_text(f"{stub}\n\n{code}", encoding="utf-8")
    command = ["-m", "pytest", "tests/test_flops.py", "--ex", "matmul_flops", "-x", *options]
    done = warm.run(*command, cwd=folder, env=environment(), stdin=stdin)
    return done.stdout + done.stderr


def spin(caught):
    """Runs until a deadline ends it, like a loop of a student's."""
    deadline = Deadline(0.1)
    try:
        deadline.start()
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


@pytest.fixture
def deadline():
    """One of 10 s that looks at the clock when a test calls `_check`."""
    deadline = Deadline(10.0, stderr=2)
    deadline.start()
    signal.setitimer(signal.ITIMER_REAL, 0)
    yield deadline
    deadline.stop()


def strike_in(file, deadline):
    """The timer's signal while code of this file runs."""
    strike = {"strike": lambda: deadline._check(signal.SIGALRM, sys._getframe(1))}
    try:
        exec(compile("strike()", file, "exec"), strike)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)  # a strike sets it again


@pytest.mark.parametrize(
    ("file", "tracer"),
    [(module.__file__, None), (pluggy._callers.__file__, None), (__file__, print)],
    ids=["stop", "caller", "debugger"],
)
def test_no_limit_strikes_where_it_must_not(monkeypatch, file, tracer, deadline):
    """In `stop`, whose timer would go on; where its caller would not be told; while code is traced

    As a debugger traces it that is no pdb of pytest's.
    """
    deadline._began -= 1000
    monkeypatch.setattr(sys, "gettrace", lambda: tracer)
    strike_in(file, deadline)
    monkeypatch.setattr(sys, "gettrace", lambda: None)
    with pytest.raises(TookTooLong):
        strike_in(__file__, deadline)


@pytest.mark.parametrize("file", ["<frozen importlib._bootstrap>", __file__])
def test_imports_by_others_and_stops_of_the_process_are_not_counted(file, deadline):
    """Ctrl-Z, for instance: no signal came for long"""
    deadline._began -= 1000
    deadline._last_check = (deadline._last_check[0] - 1000, deadline._last_check[1])
    strike_in(file, deadline)
    deadline._began -= 1000
    with pytest.raises(TookTooLong):
        strike_in(__file__, deadline)


def test_a_process_ends_some_time_after_the_last_look_or_the_first_strike(monkeypatch, deadline):
    """A slow machine ends none in which Python runs; code that catches the strike is ended"""
    renewed = []
    monkeypatch.setattr(
        module.faulthandler, "dump_traceback_later", lambda s, **_: renewed.append(s)
    )
    strike_in(__file__, deadline)
    deadline._began -= 1000
    for _ in range(2):
        with pytest.raises(TookTooLong):
            strike_in(__file__, deadline)
    assert renewed == [40.0, 40.0]


def test_an_endless_loop_is_shown_with_its_variables(folder):
    code = ENDLESS.replace("    while", f"    import time; {LATER}\n    while")
    said = pytest_in(folder, code, "--maxfail=9")
    assert "wrong: still running after 1.5 s, the limit of this exercise" in said
    assert "call:     flops.matmul_flops(1, 3, 1)" in said
    shown = r"resource_accounting/flops.py:\d+ matmul_flops\n +(while left:|done = B)\n"
    assert re.search(shown, said), said
    assert "      left is 3\n" in said
    assert "      done is 1\n" in said
    assert re.search(r"\n\d more tests of matmul_flops not run: two have taken too long\.\n", said)


def test_a_call_that_lets_no_python_run_ends_the_process_with_its_place(folder):
    """It waits for a lock that it holds, and lets no other thread run: that takes no CPU time"""
    code = (
        "import ctypes\n\n\ndef matmul_flops(*_):\n    lock = ctypes.create_string_buffer(64)\n"
        "    for _ in range(2):\n        ctypes.PyDLL(None).pthread_mutex_lock(lock)\n"
    )
    said = pytest_in(folder, code)
    assert re.search(r"Timeout \(0:00:06\)!", said)
    assert re.search(r'resource_accounting/flops.py", line \d+ in matmul_flops', said), said


def test_a_process_that_takes_long_to_end_is_not_killed():
    """The timer's signal would come when Python has forgotten its handlers"""
    code = (
        "import sys, time, types\n"
        "hooks = types.SimpleNamespace(exercise_of=None, package_of=None)\n"
        "sys.modules['assignment.hooks'] = hooks\n"  # they import torch
        "from assignment.student.deadline import Deadline\n"
        "class Slow:\n    def __del__(self): time.sleep(0.6)\n"
        "slow = Slow()\nDeadline(10).start()\nraise SystemExit(5)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], timeout=MAX_WAIT)
    assert run.returncode == 5


def test_ctrl_c_shows_where_the_code_was(folder):
    mark = folder / "running"
    # A shell ignores Ctrl-C for what it starts in the background, and programs inherit that.
    heed = "signal.signal(signal.SIGINT, signal.default_int_handler)"
    begin = f"import os, signal\n    {heed}\n    os.symlink(str(os.getpid()), {str(mark)!r})"
    code = ENDLESS.replace("    while", f"    {begin}\n    while")
    set_limit(folder, 1000)

    def interrupt():
        if wait_until(mark.is_symlink):
            os.kill(int(mark.readlink().name), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    try:
        said = pytest_in(folder, code)
    finally:
        set_limit(folder, 1.5)
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
        "import threading, time\n\n\n"
        "def matmul_flops(B, D, K):\n"
        "    if B * D * K == 3:\n        breakpoint()\n        time.sleep(0.6)\n"
        "    return 2 * B * D * K\n"
    )
    wait = f"{LATER}; threading.Event().wait(0.6)"  # for some looks at the clock
    said = pytest_in(folder, code, stdin=f"{wait}\nc\n")
    assert "PDB set_trace" in said
    assert "still running" not in said
    assert "linear_forward_flops" in said  # the first stub after it


def test_a_stop_between_two_tests_is_not_blamed_on_the_first():
    stops = Stops(SimpleNamespace())
    stops.pytest_runtest_call(SimpleNamespace(funcargs={}))
    stops.pytest_runtest_logstart()
    stops.pytest_keyboard_interrupt(SimpleNamespace(value=KeyboardInterrupt()))
    assert stops._where_it_was == ""


def test_the_loop_at_a_line_is_that_of_the_function_also_where_a_lambda_is(tmp_path):
    file = tmp_path / "loop.py"
    file.write_text("def f(rows):\n    while rows:\n        rows = max(rows, key=lambda r: r)\n")
    code = compile(file.read_text(), str(file), "exec")
    place = SimpleNamespace(frame=SimpleNamespace(code=SimpleNamespace(raw=code)), lineno=2)
    assert isinstance(frames._loop_at(place), ast.While)
