"""`gates` reports which test runs were red, and which interpreters were skipped."""

import itertools
import os
import platform
import random
import re
import subprocess
import sys
import textwrap
from functools import partial
from pathlib import Path

import pytest

from tests.campaigns import gates
from tests.harness.conftest import wait_until
from tests.harness.processes import children, command


@pytest.fixture(autouse=True)
def isolated_pytest(tmp_path, monkeypatch):
    """Gives each test a log folder, and an inner pytest without the outer one's configuration."""
    monkeypatch.setattr(gates, "BUILD", tmp_path / "build")
    inner = "-m", "pytest", "-c", os.devnull, "--confcutdir", str(tmp_path)  # reads no /tmp
    monkeypatch.setattr(gates, "PYTEST", inner)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


@pytest.fixture
def load(tmp_path):
    """Loads a machine with one test, whose body is given: whether its runs were green."""

    def run(body, runs=1, busy=0, slow=1.0, stops=False):
        return gates.load(runs, busy, slow, stops, write_test(tmp_path, body))

    return run


def write_test(folder: Path, body: str) -> list[str]:
    head = "import os, pathlib, signal, time\n\ndef test_it():\n"
    (folder / "test_it.py").write_text(head + textwrap.indent(body, "    "))
    return [str(folder / "test_it.py")]


def test_load_prints_a_line_for_each_run_beside_busy_loops(load, capsys):
    def loops() -> list[int]:
        return [pid for pid in children(os.getpid()) if "while True" in command(pid)]

    siblings = "pathlib.Path(f'/proc/{os.getppid()}/task/{os.getppid()}/children')"
    commands = f"[pathlib.Path(f'/proc/{{p}}/cmdline') for p in {siblings}.read_text().split()]"
    assert load(f"assert sum('while True' in c.read_text() for c in {commands}) == 1", 2, 1)
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("run 1 of 2, 1 busy loops: green in ")
    assert second.startswith("run 2 of 2, 1 busy loops: green in ")
    assert second.endswith(" s: 1 passed")
    with gates.busy_loops(2):
        assert len(loops()) == 2
    assert loops() == []


def test_slow_run_charges_workers_more(load, capsys):
    body = (
        "from grader.supervisor.process import Process\n"
        "assert Process(os.getpid()).cpu() > 50 * time.process_time()"
    )
    assert not load(body)
    assert load(body, slow=100)
    assert "run 1 of 1, 0 busy loops, 100 times the CPU time: green" in capsys.readouterr().out


def test_processes_of_a_run_are_stopped_and_go_on(load, capsys, monkeypatch):
    # Of a run and of one process about as often, for less than 0.4 s.
    monkeypatch.setattr(random, "random", partial(random.uniform, 0.2, 0.4))
    body = (
        "if not (pid := os.fork()):\n    signal.pause()\n"
        "assert os.WIFSTOPPED(os.waitpid(pid, os.WUNTRACED)[1])\n"
        "assert os.WIFCONTINUED(os.waitpid(pid, os.WCONTINUED)[1])\n"
        "os.kill(pid, signal.SIGKILL)\nos.waitpid(pid, 0)"
    )
    assert load(body, stops=True)
    assert re.search(r"green in \d+ s, \d+ stops: 1 passed", capsys.readouterr().out)


def test_red_run_is_reported_and_its_output_is_kept(load, capsys):
    assert not load("assert False")
    line, log = capsys.readouterr().out.splitlines()
    assert ": RED in " in line
    assert line.endswith("1 failed")
    assert "def test_it" in Path(log.strip()).read_text()


def test_signal_to_the_campaign_ends_pytest(tmp_path):
    """It is sent when the test runs, which ends by nothing else"""
    pid = tmp_path / "pid"
    tests = write_test(tmp_path, f"os.symlink(str(os.getpid()), {str(pid)!r})\ntime.sleep(600)")
    code = (
        "import pathlib\nfrom tests.campaigns import gates\n\n"
        f"gates.BUILD = pathlib.Path({str(tmp_path)!r})\n"
        f"gates.PYTEST = {gates.PYTEST!r}\ngates.main()\n"
    )
    campaign = [sys.executable, "-c", code, "load", "--runs", "1", *tests]
    with subprocess.Popen(campaign, cwd=gates.REPOSITORY) as run:
        assert wait_until(lambda: pid.is_symlink() or run.poll() is not None)
        run.terminate()
    assert not Path("/proc", pid.readlink()).exists()


def test_python_is_found_by_version_command_and_path(tmp_path, monkeypatch):
    """But not by a command of a version that is not installed, as pyenv has them"""
    shim = tmp_path / "python3.98"
    shim.write_text("#!/bin/sh\necho 'not installed' >&2\nexit 127\n")
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    (installed := tmp_path / "versions" / "3.97.1" / "bin").mkdir(parents=True)
    (installed / "python").write_text("#!/bin/sh\necho 3.97.1\n")
    (installed / "python").chmod(0o755)
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    here = Path(sys.executable), platform.python_version()
    assert gates.find_python(sys.executable) == here
    assert gates.find_python("3.97") == (installed / "python", "3.97.1")
    for name in ("3.98", "3.99", "/no/such/python"):
        assert gates.find_python(name) is None


def test_matrix_names_what_is_not_installed_or_cannot_be_set_up(capsys, monkeypatch):
    """It is red if nothing was run"""

    def fails(*_):
        raise subprocess.CalledProcessError(1, "pip")

    assert not gates.matrix(["3.99"], [])
    assert capsys.readouterr().out == "3.99: skipped, it is not installed here\n"
    monkeypatch.setattr(gates, "_install", fails)
    assert not gates.matrix([sys.executable], [])
    assert "RED: pip ended with 1" in capsys.readouterr().out


def test_matrix_runs_each_environment_with_one_python_after_the_other(
    tmp_path, capsys, monkeypatch
):
    """and is red if one run is"""
    for name in gates.VARIABLES:
        monkeypatch.delenv(name, raising=False)
    found = f"tuple(os.environ.get(name, '') for name in {gates.VARIABLES})"
    tests = write_test(tmp_path, f"assert {found} in {gates.ENVIRONMENTS[:-1]}")
    for version in ("1.2.3", "1.2.4"):
        (tmp_path / "build" / "matrix" / version / "tree").mkdir(parents=True)
    monkeypatch.setattr(gates, "find_python", lambda name: (Path(), name))
    monkeypatch.setattr(gates, "_install", lambda python, folder: Path(sys.executable))
    monkeypatch.setattr(gates, "PYTEST", (*gates.PYTEST, "--rootdir", str(tmp_path)))
    assert not gates.matrix(["1.2.3", "1.2.4"], tests)
    printed = capsys.readouterr().out
    assert printed.count(": green in ") == len(gates.ENVIRONMENTS) - 1
    assert "1.2.4 ATEN_CPU_CAPABILITY=avx512 OMP_NUM_THREADS=2: RED in " in printed


def test_any_two_values_of_two_variables_meet():
    for i, j in itertools.combinations(range(len(gates.VARIABLES)), 2):
        values = [{row[n] for row in gates.ENVIRONMENTS} for n in (i, j)]
        met = {(row[i], row[j]) for row in gates.ENVIRONMENTS}
        assert met == set(itertools.product(*values))
