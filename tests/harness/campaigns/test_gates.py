"""`gates` reports which test runs were red, and which interpreters were skipped."""

import itertools
import os
import random
import re
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from tests.harness.campaigns import gates

GREEN = "def test_green():\n    pass\n"
RED = "def test_red():\n    assert False\n"


@pytest.fixture(autouse=True)
def isolated_pytest(tmp_path, monkeypatch):
    """Gives each test a log folder, and an inner pytest without the outer one's configuration."""
    monkeypatch.setattr(gates, "BUILD", tmp_path / "build")
    monkeypatch.setattr(gates, "PYTEST", ("-m", "pytest", "-c", os.devnull))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def write_test(place: Path, text: str) -> list[str]:
    path = place / "test_it.py"
    path.write_text(text)
    return [str(path)]


def test_load_prints_a_line_for_each_run(tmp_path, capsys):
    assert gates.load(2, 1, write_test(tmp_path, GREEN))
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("run 1 of 2, 1 busy loops: green in ")
    assert second.startswith("run 2 of 2, 1 busy loops: green in ")
    assert second.endswith(" s: 1 passed")


def test_slow_run_charges_workers_more(tmp_path, capsys):
    text = (
        "import os, time\nfrom grader.supervisor.process import Process\n\n"
        "def test_cpu():\n    assert Process(os.getpid()).cpu() > 50 * time.process_time()\n"
    )
    assert not gates.load(1, 0, write_test(tmp_path, text))
    assert gates.load(1, 0, write_test(tmp_path, text), slow=100)
    assert "run 1 of 1, 0 busy loops, 100 times the CPU time: green" in capsys.readouterr().out


def test_processes_of_a_run_are_stopped_and_go_on(tmp_path, capsys, monkeypatch):
    # Of a run and of one process about as often, for less than 0.4 s.
    monkeypatch.setattr(random, "random", partial(random.uniform, 0.2, 0.4))
    text = (
        "import os, signal\n\ndef test_stopped():\n"
        "    if not (pid := os.fork()):\n        signal.pause()\n"
        "    assert os.WIFSTOPPED(os.waitpid(pid, os.WUNTRACED)[1])\n"
        "    assert os.WIFCONTINUED(os.waitpid(pid, os.WCONTINUED)[1])\n"
        "    os.kill(pid, signal.SIGKILL)\n    os.waitpid(pid, 0)\n"
    )
    assert gates.load(1, 0, write_test(tmp_path, text), stops=True)
    assert re.search(r"green in \d+ s, \d+ stops: 1 passed", capsys.readouterr().out)


def test_red_run_is_reported_and_its_output_is_kept(tmp_path, capsys):
    assert not gates.load(1, 0, write_test(tmp_path, RED))
    line, log = capsys.readouterr().out.splitlines()
    assert ": RED in " in line
    assert line.endswith("1 failed")
    assert "def test_red" in Path(log.strip()).read_text()


def test_busy_loops_end_with_their_context():
    def loops() -> set[str]:
        children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
        return {c for c in children if "while True" in Path(f"/proc/{c}/cmdline").read_text()}

    with gates.busy_loops(2):
        assert len(loops()) == 2
    assert loops() == set()


def test_signal_to_the_campaign_ends_pytest(tmp_path):
    """It is sent when the test runs, which ends by nothing else"""
    pid, program = tmp_path / "pid", tmp_path / "campaign.py"
    tests = write_test(
        tmp_path,
        "import os, pathlib, time\n\ndef test_slow():\n"
        f"    pathlib.Path({str(pid)!r}).write_text(f'{{os.getpid()}}.')\n    time.sleep(600)\n",
    )
    program.write_text(
        "import pathlib\nfrom tests.harness.campaigns import gates\n\n"
        f"gates.BUILD = pathlib.Path({str(tmp_path)!r})\n"
        f"gates.PYTEST = {gates.PYTEST!r}\ngates.main()\n"
    )
    command = [sys.executable, program, "load", "--runs", "1", *tests]
    with subprocess.Popen(
        command, cwd=gates.REPOSITORY, env={**os.environ, "PYTHONPATH": "."}
    ) as run:
        while not (pid.exists() and pid.read_text().endswith(".")):
            time.sleep(0.05)
        run.terminate()
    assert not Path(f"/proc/{pid.read_text().rstrip('.')}").exists()


def test_python_is_found_by_version_command_and_path():
    version = "{}.{}".format(*sys.version_info)
    found = gates.find_python(sys.executable)
    assert found is not None
    assert found.path == Path(sys.executable)
    assert found.version.startswith(f"{version}.")
    assert found.in_venv is (sys.prefix != sys.base_prefix)
    assert gates.find_python("3.99") is None
    assert gates.find_python("/no/such/python") is None


def test_command_of_a_version_that_is_not_installed_is_skipped(tmp_path, monkeypatch):
    """pyenv has such commands"""
    shim = tmp_path / "python3.98"
    shim.write_text("#!/bin/sh\necho 'not installed' >&2\nexit 127\n")
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert gates.find_python("3.98") is None


def test_matrix_names_interpreters_that_are_not_installed(capsys):
    assert not gates.matrix(["3.99"], [])
    assert capsys.readouterr().out == "3.99: skipped, it is not installed here\n"


def test_matrix_runs_each_environment_with_one_python_after_the_other(
    tmp_path, capsys, monkeypatch
):
    """and is red if one run is"""
    tests = write_test(
        tmp_path,
        "import os\n\ndef test_it():\n"
        f"    values = tuple(os.environ.get(name, '') for name in {gates.VARIABLES})\n"
        f"    assert values in {gates.ENVIRONMENTS[:-1]}\n",
    )
    for name in gates.VARIABLES:
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "build/matrix/1.2.3/tree").mkdir(parents=True)
    monkeypatch.setattr(
        gates, "find_python", lambda name: gates.Python(Path(name), "1.2.3", in_venv=True)
    )
    monkeypatch.setattr(gates, "_install", lambda python, folder: Path(sys.executable))
    monkeypatch.setattr(gates, "PYTEST", (*gates.PYTEST, "--rootdir", str(tmp_path)))
    monkeypatch.setenv("PYTHONPATH", str(gates.REPOSITORY))  # of the plugin
    assert not gates.matrix(["3.98", "3.99"], tests)
    printed = capsys.readouterr().out
    assert printed.count(": green in ") == len(gates.ENVIRONMENTS) - 1
    assert "1.2.3 ATEN_CPU_CAPABILITY=avx512 OMP_NUM_THREADS=2: RED in " in printed


def test_any_two_values_of_two_variables_meet():
    for i, j in itertools.combinations(range(len(gates.VARIABLES)), 2):
        values = [{row[n] for row in gates.ENVIRONMENTS} for n in (i, j)]
        met = {(row[i], row[j]) for row in gates.ENVIRONMENTS}
        assert met == set(itertools.product(*values))


def test_failed_setup_is_red(capsys, monkeypatch):
    def fails(*_):
        raise subprocess.CalledProcessError(1, "pip")

    monkeypatch.setattr(gates, "_install", fails)
    assert not gates.matrix([sys.executable], [])
    assert "RED: pip ended with 1" in capsys.readouterr().out
