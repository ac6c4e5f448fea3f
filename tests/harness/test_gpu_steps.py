"""The campaign `gpu`, rehearsed on a CPU: what a stage may do to the others, the table."""

import itertools
import json
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
import torch

from assignment.programs.products import MatmulChain
from tests.benchmarks.gpu import __main__ as steps
from tests.benchmarks.gpu import stages, table, variants
from tests.harness.conftest import REPOSITORY, wait_until
from tests.harness.processes import status


@pytest.fixture
def record(tmp_path, monkeypatch):
    """Runs stages whose code is given, and returns what was recorded."""

    def run(seconds=60.0, limit=30.0, only=(), **codes):
        """The limit is that of `hangs`."""
        limits = dict.fromkeys(codes, 30.0) | {"hangs": limit}
        monkeypatch.setattr(stages, "STAGES", {name: limits[name] for name in codes})
        code = f"import sys; exec({codes!r}[sys.argv[1]])"
        monkeypatch.setattr(steps, "_RUN", code)
        steps.run_stages("cpu", seconds, tmp_path / "gpu.jsonl", only)
        return [json.loads(line) for line in (tmp_path / "gpu.jsonl").read_text().splitlines()]

    return run


def test_wanted_stages_go_on_after_any_failure(record):
    wanted = ["good", "raises", "dies", "silent", "last"]
    found = record(
        only=wanted,
        good="print('noise'); print('{\"a\": 1}')",
        raises="raise ValueError('no such device')",
        dies="import os; os.abort()",
        silent="pass",
        unwanted="print('[1]')",
        last="print('[2]')",
    )
    assert [one["stage"] for one in found] == wanted
    assert found[0]["result"] == {"a": 1}
    assert "no such device" in found[1]["error"]
    assert found[2]["error"].startswith("status -6")
    assert found[3]["error"].startswith("status 0")
    assert found[4]["result"] == [2]
    assert all(one["device"] == "cpu" for one in found)


def test_stage_that_hangs_ends_with_its_children(record, tmp_path, monkeypatch):
    pid = tmp_path / "pid"
    hangs = (
        "import os, subprocess, time; child = subprocess.Popen(['sleep', '600']); "
        f"os.symlink(str(child.pid), {str(pid)!r}); time.sleep(600)"
    )
    communicate = subprocess.Popen.communicate

    def with_a_child(process, **options):
        """The time of a stage begins when the first one has its child."""
        assert wait_until(pid.is_symlink)
        return communicate(process, **options)

    monkeypatch.setattr(subprocess.Popen, "communicate", with_a_child)
    found = record(limit=1.0, hangs=hangs, last="print('1')")
    assert [one.get("error") for one in found] == ["no answer in 1 s", None]
    child = int(pid.readlink().name)
    assert wait_until(lambda: status(child).get("State", "Z").startswith("Z"))


def test_visit_ends_in_its_time_and_shows_what_it_left_out(record, monkeypatch):
    clock = SimpleNamespace(monotonic=itertools.count(0.0, 0.25).__next__)
    monkeypatch.setattr(steps, "time", clock)
    monkeypatch.setattr(steps, "_LEAST_SECONDS", 0.5)
    found = record(seconds=1.0, hangs="import time; time.sleep(600)", last="print('1')")
    assert [one["error"] for one in found] == ["no answer in 1 s", "no time left"]


def test_facts_of_this_machine_are_found(monkeypatch, capsys):
    """What the process of a stage does, without one, which imports torch"""
    assert f"from {stages.__name__} import main; main()" == steps._RUN
    monkeypatch.setattr(sys, "argv", ["-c", "facts", "cpu"])
    stages.main()
    assert json.loads(capsys.readouterr().out)["kernel"] == os.uname().release


@pytest.mark.long
def test_worker_of_each_zygote_is_asked_whether_it_may_use_cuda():
    """Without a CUDA build of torch every process may"""
    found = stages.run("zygotes", "cpu")
    assert set(found) == {"of tests", "of races"}
    assert {one["worker is in a bad fork"] for one in found.values()} == {False}


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
        "foreach",
    }


def test_most_wanted_stages_fit_into_a_visit():
    """The races of the reference, then budgets and the timer, each of which took less on an H100"""
    names = list(stages.STAGES)
    assert names[:6] == ["facts", "limits", *(f"race {program}" for program in stages.RACES)]
    assert names[6:8] == ["budgets", "timer"]
    assert steps.SECONDS == 480


def test_table_shows_figures_failures_and_that_it_is_a_rehearsal():
    race = {
        "tier": "B",
        "mark": 0.75,
        "ratio": 1.25,
        "low": 1.2,
        "high": 1.3,
        "naive": 3.0,
        "reference seconds": 0.125,
        "blocks": 16,
        "void": ["too hot"],
        "work": [1e12, 2e11, 0.0],
    }
    limits = {"FLOP/s": 1e13, "bytes/s": 4e12, "bytes/s from the host": 5e10}
    variant = {"variant": "foreach", "seconds": 0.5, "spread": 0.01, "error": 1e-6}
    variant |= {"FLOPs": 1e12, "bytes": 5e11, "bytes from the host": 1e10}
    reference = variant | {"variant": "reference", "seconds": 0.25}
    rungs = [{"rung": "no lockdown", "failed": "", "reason": "", "ms": {"torch": 1.0}}]
    rungs.append({"rung": "seccomp", "failed": "cuInit", "reason": "refused: socket", "ms": {}})
    parts = [
        {"naive": True, "seconds": [4.0, 2.0, 2.0, 4.0], "void": ""},
        {"naive": False, "seconds": [3.0, 2.0, 2.0, 3.0], "void": ""},
        {"naive": False, "seconds": [9.0, 1.0, 1.0, 9.0], "void": "too hot"},
    ]
    lines = [
        {"stage": "facts", "result": {"device": "D", "driver": ""}},
        {"stage": "limits", "result": limits},
        {"stage": "variants adamw", "result": [reference, variant]},
        {"stage": "ladder", "result": rungs},
        {"stage": "variants training", "error": "no answer in 9 s"},
        {"stage": "race adamw", "error": "an earlier try"},
        {"stage": "race adamw", "result": race},
        {"stage": "race batches", "result": {"cause": "c", "detail": "a | b"}},
        {"stage": "race training", "error": "no answer", "parts": list(map(json.dumps, parts))},
        {"stage": "timer", "error": "no"},
    ]
    text = table.written(json.dumps({"device": "cpu", "seconds": 1.0, **one}) for one in lines)
    assert "A rehearsal on a CPU: no figure here is of a device." in text
    assert "- device: D" in text
    assert "- driver" not in text
    row = "| adamw | B | 0.125 | 80% | 1.250 | 1.200 to 1.300 | 4.0% | 3.00 | 16 | 1 | 0.75 | 1 |"
    assert row in text
    assert "an earlier try" not in text
    assert "| batches | not measured: c: a \\| b |" in text
    assert "no answer; 1 blocks: reference 2 s, ratio 1.500, naive 2.00 |" in text
    assert "| adamw | foreach | 0.5 | 2.00 | 1.0% | 1.0e-06 | 40% |" in text
    assert "no lockdown: holds; seccomp: cuInit: refused: socket" in text
    tables = [line for line in text.splitlines() if line.startswith("|")]
    assert {line.replace("\\|", "").count("|") for line in tables} == {13, 8}
    assert "| training |  | no answer in 9 s |" in text
    assert "- timer, 1.0 s: no" in text
    measured = table.written([json.dumps({"device": "cuda", "seconds": 1.0, **lines[0]})])
    assert "rehearsal" not in measured
    assert "variant" not in measured


def test_make_leaves_the_folder_of_the_results_to_its_caller():
    """A machine that is lent brings back what is in $OUT alone"""
    command = ["make", "-s", "--eval", 'shown:\n\t@echo "$$OUT"', "shown"]
    environment = os.environ | {"OUT": "/elsewhere"}
    done = subprocess.run(
        command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "/elsewhere"


def test_table_of_several_visits_is_written_from_their_lines(tmp_path, monkeypatch, capsys):
    line = {"stage": "timer", "device": "cpu", "seconds": 1.0, "error": "no"}
    (tmp_path / "gpu.jsonl").write_text(json.dumps(line) + "\n")
    monkeypatch.setenv("OUT", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["gpu", "--show", "--device", "cpu"])
    steps.main()
    assert "- timer, 1.0 s: no" in capsys.readouterr().out
    assert "A rehearsal on a CPU" in (tmp_path / "gpu.md").read_text()


@pytest.mark.parametrize("variant", ["reference", "naive in TF32", "fp16"])
def test_error_of_a_variant_is_that_of_a_race(monkeypatch, variant):
    """Against the naive program in the inputs' own dtype: on a device the reference is in bf16"""
    runs = []

    def run(program, student, start):
        here = "naive" in student.performance.matmul_chain.__module__
        runs.append((here, torch.backends.cuda.matmul.allow_tf32, program.dtype))
        return [torch.ones(4)]

    monkeypatch.setattr(MatmulChain, "run", run)
    found = variants.measured("matmul_chain", variant, "cpu")
    assert runs[-1] == (True, False, torch.float64)
    assert {tf32 for _, tf32, _ in runs[:-1]} == {variant == "naive in TF32"}
    assert found["FLOPs"] == 2 * 192**3 * 12


def test_wheels_can_be_installed_before_anything_is_imported():
    """Nothing that the first lines import is in the wheels that are brought along"""
    code = (
        "import sys; before = set(sys.modules); import tests.benchmarks.gpu.__main__; "
        "print({sys.modules[m].__file__ for m in set(sys.modules) - before "
        "if 'site-packages' in (getattr(sys.modules[m], '__file__', '') or '')})"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"
