"""`make bench` of the handout: its output, and that its baselines are correct."""

import shutil

import pytest
import torch

from assignment import programs
from assignment.calls.implementation import Package
from assignment.student import bench
from tests.harness.assignment.students import REFERENCE, run_in


def test_untouched_handout_is_not_started(workspace):
    done = run_in(workspace, "assignment", "bench", "adamw")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("not started") == 1
    assert not (workspace / "roofline.svg").exists()


def test_finished_handout_shows_speed_and_place(workspace):
    for path in REFERENCE.glob("*.py"):
        shutil.copy(path, workspace / "resource_accounting")
    done = run_in(workspace, "assignment", "bench")
    assert done.returncode == 0, done.stderr
    lines = {line.split()[0]: line for line in done.stdout.splitlines() if " × " in line}
    assert set(lines) == {"matmul_chain", "training", "adamw", "batches"}
    assert all(line.count(" ms ") == 2 and line.count("%") == 2 for line in lines.values())
    picture = (workspace / "roofline.svg").read_text()
    assert picture.startswith("<?xml")
    assert "measured here" in done.stdout


def test_unknown_program_is_named(workspace):
    done = run_in(workspace, "assignment", "bench", "adam")
    assert done.returncode == 2
    assert "no program is called 'adam'; there are matmul_chain" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["matmul_chain", "training", "adamw", "batches"])
def test_baseline_gives_what_the_reference_gives(name):
    student = Package("solutions.resource_accounting")
    kind = programs.find(name)
    made = kind(torch.device("cpu"), kind.sizes_on("cpu", 0), seed=3)
    right, found = made.run(student, 5), made.run(bench.baseline(student), 5)
    assert programs.unacceptable(found, right, [1e-4] * len(right)) == ""
    assert programs.unacceptable(made.run(student, 6), right, [1e-4] * len(right))
