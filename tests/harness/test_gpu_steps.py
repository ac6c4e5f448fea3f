"""`make gpu`, rehearsed on a CPU: what a stage may do to the others, traces, the table."""

import json
import os
import subprocess
import sys

import pytest

from grader.worker import cuda
from tests.benchmarks.gpu import __main__ as steps
from tests.benchmarks.gpu import stages, table, trace
from tests.harness.conftest import wait_until
from tests.harness.processes import status


@pytest.fixture
def record(tmp_path, monkeypatch):
    """Runs stages whose code is given, and returns what was recorded."""

    def run(seconds=60.0, limit=30.0, **codes):
        monkeypatch.setitem(stages.STEPS, "learn", dict.fromkeys(codes, limit))
        code = f"import sys; exec({codes!r}[sys.argv[1]])"
        monkeypatch.setattr(steps, "_RUN", code)
        steps.run_step("learn", "cpu", seconds, tmp_path / "gpu.jsonl")
        return [json.loads(line) for line in (tmp_path / "gpu.jsonl").read_text().splitlines()]

    return run


def test_stages_go_on_after_any_failure(record):
    found = record(
        good="print('noise'); print('{\"a\": 1}')",
        raises="raise ValueError('no such device')",
        dies="import os; os.abort()",
        silent="pass",
        last="print('[2]')",
    )
    assert [one["stage"] for one in found] == ["good", "raises", "dies", "silent", "last"]
    assert found[0]["result"] == {"a": 1}
    assert "no such device" in found[1]["error"]
    assert found[2]["error"].startswith("status -6")
    assert found[3]["error"].startswith("status 0")
    assert found[4]["result"] == [2]
    assert all(one["device"] == "cpu" and one["step"] == "learn" for one in found)


def test_stage_that_hangs_ends_with_its_children(record, tmp_path):
    pid = tmp_path / "pid"
    hangs = (
        "import os, subprocess, sys, time; child = subprocess.Popen(['sleep', '600']); "
        f"open({str(pid)!r}, 'w').write(str(child.pid)); time.sleep(600)"
    )
    found = record(limit=3.0, hangs=hangs, last="print('1')")
    assert [one.get("error") for one in found] == ["no answer in 3 s", None]
    assert wait_until(lambda: status(int(pid.read_text())).get("State", "Z").startswith("Z"))


def test_step_ends_in_its_time_and_says_what_it_left_out(record):
    found = record(seconds=6.0, hangs="import time; time.sleep(600)", last="print('1')")
    assert [one["error"] for one in found] == ["no answer in 6 s", "no time left"]


def test_facts_of_this_machine_are_recorded(tmp_path):
    steps.run_step("learn", "cpu", 60.0, tmp_path / "gpu.jsonl", ("facts",))
    (found,) = map(json.loads, (tmp_path / "gpu.jsonl").read_text().splitlines())
    assert found["result"]["kernel"] == os.uname().release


@pytest.mark.long
def test_reference_is_raced_and_measured_without_a_device(monkeypatch):
    """The stages that a device is waited for; the races themselves are short here"""
    found = stages.run("race adamw", "cpu")
    assert (found["mark"], found["blocks"] >= 8) == (1.0, True)
    (budgets,) = stages.run("budgets", "cpu")
    assert budgets["fit"]["fitted"] == (True, True)
    assert {one["variant"] for one in stages.run("variants adamw", "cpu")} == {
        "reference",
        "naive",
        "fused",
    }


TRACE = """
17 openat(AT_FDCWD, "/etc/shadow", O_RDONLY) = 3
17 openat(AT_FDCWD, "/usr/lib/x.so", O_RDONLY) = 3
17 openat(AT_FDCWD, "/nowhere", O_RDONLY) = -1 ENOENT (No such file or directory)
18 openat(AT_FDCWD, "/proc/self/task/18/comm", O_RDWR) = 4
18 ioctl(5, 0xc020462a, 0x7ffd) = 0
18 ioctl(5, 0xdeadbeef, 0x7ffd) = 0
18 io_uring_setup(8, 0x7ffd) = 6
18 socket(AF_UNIX, SOCK_SEQPACKET|SOCK_CLOEXEC, 0) = 7
--- SIGCHLD ---
"""


def test_trace_shows_what_a_worker_would_be_refused():
    assert trace.refused(TRACE.splitlines()) == {
        "calls": {"io_uring_setup": 1},
        "requests": {"0xdeadbeef": 1},
        "read": {"/etc/shadow": 1},
        "written": {"/proc/self/task/N/comm": 1},
    }
    assert cuda.IOCTL_TYPE == 0x46


def test_table_shows_figures_failures_and_that_it_is_a_rehearsal():
    race = {
        "mark": 0.75,
        "ratio": 1.25,
        "low": 1.2,
        "high": 1.3,
        "naive": 3.0,
        "reference seconds": 0.125,
        "blocks": 16,
        "void": ["too hot"],
    }
    variant = {"variant": "fused", "seconds": 0.5, "spread": 0.01, "error": 1e-6, "TFLOP/s": 2.0}
    variant |= {"GB/s": 1000.0, "on an H100": 0.25}
    lines = [
        {"step": "learn", "stage": "facts", "result": {"device": "D", "driver": ""}},
        {"step": "learn", "stage": "variants adamw", "result": [variant]},
        {"step": "learn", "stage": "variants training", "error": "no answer in 9 s"},
        {"step": "table", "stage": "race adamw", "error": "an earlier try"},
        {"step": "table", "stage": "race adamw", "result": race},
        {"step": "table", "stage": "race batches", "result": {"cause": "c", "detail": "a | b"}},
        {"step": "table", "stage": "timer", "error": "no"},
    ]
    text = table.written(json.dumps({"device": "cpu", "seconds": 1.0, **one}) for one in lines)
    assert "A rehearsal on a CPU: no figure here is of a device." in text
    assert "- device: D" in text
    assert "- driver" not in text
    row = "| adamw (table) | 0.125 | 1.250 | 1.200 to 1.300 | 4.0% | 3.00 | 16 | 1 | 0.75 |"
    assert row in text
    assert "an earlier try" not in text
    assert "| batches (table) | not measured: c: a \\| b |" in text
    assert "| adamw | fused | 0.5 | 1.0% | 1.0e-06 | 2 | 1e+03 | 0.25 |" in text
    assert "| training |  | no answer in 9 s |" in text
    assert "- table timer, 1.0 s: no" in text
    measured = table.written([json.dumps({"device": "cuda", "seconds": 1.0, **lines[0]})])
    assert "rehearsal" not in measured


def test_wheels_can_be_installed_before_anything_is_imported():
    """Nothing that the first lines import is in the wheels that are brought along"""
    code = (
        "import sys; before = set(sys.modules); import tests.benchmarks.gpu.__main__; "
        "print({sys.modules[m].__file__ for m in set(sys.modules) - before "
        "if 'site-packages' in (getattr(sys.modules[m], '__file__', '') or '')})"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"
    assert set(stages.STEPS) == {"learn", "lockdown", "table"}
