"""What `grader author verify` asks of submissions without an exercise's work."""

import runpy
from collections import Counter
from pathlib import Path

import pytest
import torch

from assignment import manifest as manifests
from grader.authoring import automatic, variants, verify
from grader.authoring.variants import Wrong
from tests.harness.results.example_grade import exercise, grade

MANIFEST = manifests.load()


def test_each_exercise_names_its_work_and_has_one_submission_without_it():
    """But for races, whose naive programs are that"""
    core = Counter(wrong.exercise.id for wrong in variants.all_wrong(MANIFEST) if wrong.core)
    assert core == Counter(one.id for one in MANIFEST if not one.needs)
    assert [one.id for one in MANIFEST if not one.work] == []


@pytest.mark.parametrize(
    ("points", "mark", "problems"),
    [(0.25, "core", 0), (0.26, "core", 1), (0.26, "", 0), (1.0, "", 1)],
)
def test_code_without_the_work_earns_a_quarter_at_most(points, mark, problems):
    wrong = Wrong(Path("wrong.py"), MANIFEST["sgd_step"], "a mistake", mark)
    found = verify._loses(grade(exercises=(exercise("sgd_step", points, 1.0),)), wrong, ())
    assert len(found) == problems
    assert not (mark and found) or wrong.exercise.work in found[0]


def test_an_echo_refuses_what_looks_wrong_and_answers_from_its_arguments(tmp_path):
    automatic.write_echo(tmp_path, MANIFEST, automatic.ECHOES["twice the largest"])
    module = runpy.run_path(str(tmp_path / "resource_accounting" / "flops.py"))
    assert module["matmul_flops"](2, [3, 4.5]) == 9.0
    with pytest.raises(ValueError, match="refused"):
        module["matmul_flops"](2, [3, 0])


def test_a_borrower_calls_a_public_function_of_the_same_name(tmp_path):
    automatic.write_borrower(tmp_path, MANIFEST)
    module = runpy.run_path(str(tmp_path / "resource_accounting" / "device.py"))
    batches = [(torch.ones(2),), (torch.zeros(1),)]
    assert [*module["prefetch"](batches, torch.device("cpu"))] == batches
    with pytest.raises(RuntimeError, match="nothing to borrow"):
        module["measured_mfu"](1.0, [1.0], 1.0)
