"""What `grader author verify` asks of submissions without an exercise's work."""

import runpy
from collections import Counter
from pathlib import Path

import msgspec
import pytest
import torch

from assignment import manifest as manifests
from assignment.manifest import ManifestError
from grader.authoring import automatic, clauses, variants, verify
from grader.authoring.variants import Kind, Wrong
from grader.authoring.verify import Finding
from grader.causes import Cause
from tests.harness.results.example_grade import check, exercise, grade

MANIFEST = manifests.load()


def test_each_exercise_names_its_work_and_has_one_submission_without_it():
    """But for races, whose naive programs are that"""
    core = Counter(wrong.exercise.id for wrong in variants.all_wrong(MANIFEST) if wrong.core)
    assert core == Counter(one.id for one in MANIFEST if not one.needs)
    assert [one.id for one in MANIFEST if not one.work] == []


@pytest.mark.parametrize(
    ("points", "mark", "problems"),
    [(0.26, "core", 0), (0.27, "core", 1), (0.26, "", 0), (1.0, "", 1)],
)
def test_code_without_the_work_earns_a_quarter_at_most(points, mark, problems):
    wrong = Wrong(Path("wrong.py"), MANIFEST["sgd_step"], "a mistake", mark)
    found = verify._problems_of_wrong(
        grade(exercises=(exercise("sgd_step", points, 1.0),)), wrong, ()
    )
    assert len(found) == problems
    assert not (mark and found) or wrong.exercise.work in found[0]


@pytest.mark.parametrize(
    ("states", "mark", "costs", "costly", "problems"),
    [
        ("failed open open passed", "", "", "its other checks need right results", 0),
        ("failed failed failed passed", "", "", "its other checks need right results", 1),
        ("failed failed failed passed", "", "the reason", "the reason", 0),
        ("failed failed passed passed", "", "", "", 0),
        ("failed failed failed failed", "core", "", "it lacks the work", 0),
    ],
)
def test_a_mistake_that_breaks_rules_worth_more_than_half_says_why(
    states, mark, costs, costly, problems
):
    one = MANIFEST["adamw_step"]
    share = one.points / 4
    checks = [
        check(one.id, state, max_points=share, points=share * (state == "passed"))
        for state in states.split()
    ]
    wrong = Wrong(Path("wrong.py"), one, "a mistake", mark, costs=costs)
    found = verify._with_cost(Finding(Kind.WRONG, "wrong", ()), grade(checks=tuple(checks)), wrong)
    lost = 100 - 25 * states.split().count("passed")
    assert found.seen == f"costs {lost} % of adamw_step"
    assert found.costly.startswith(costly)
    assert bool(found.costly) == bool(costly)
    assert len(found.problems) == problems


@pytest.mark.parametrize(
    ("state", "cause", "of", "problems"),
    [
        ("failed", Cause.NOT_STARTED, "sgd_step", 0),
        ("failed", Cause.EXCEPTION, "sgd_step", 1),
        ("passed", None, "sgd_step", 1),
        ("failed", Cause.UNFINISHED, "gather", 0),
        ("failed", Cause.WRONG_ANSWER, "gather", 1),
        ("passed", None, "gather", 0),
    ],
)
def test_a_stub_loses_its_points_and_others_only_where_they_call_it(state, cause, of, problems):
    graded = grade(checks=(check(of, state, cause),))
    assert len(verify._problems_of_stub(graded, MANIFEST["sgd_step"])) == problems


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


def test_one_exercise_is_verified_with_the_reference_and_only_its_own_tests():
    """Once `--exercise` graded no reference, and a name that no exercise has passed"""
    kinds = Kind.REFERENCE, Kind.ALTERNATIVE, Kind.WRONG
    found = verify.cases(kinds, exercises=["gather"])
    assert [case.only for case in found[:3]] == [("gather",)] * 3
    assert {case.kind for case in found} == set(kinds)
    wrong = {variants.read_wrong(Path(case.source), MANIFEST).exercise.id for case in found[3:]}
    assert wrong == {"gather"}
    with pytest.raises(ManifestError, match="no exercise is called 'gathers'"):
        verify.cases(kinds, exercises=["gathers"])


def test_mistake_of_the_author_in_a_wrong_submission_is_named_with_its_line(tmp_path):
    path = tmp_path / "x.py"
    path.write_text('"""removed_exercise: off by one"""\n')
    with pytest.raises(ManifestError, match=r"x\.py:1: the first line must be"):
        variants.read_wrong(path, MANIFEST)
    path.write_text('"""gather: off by one\n\nCosts: all\nof it\n\nBreaks: a\nrule\n"""\n')
    wrong = variants.read_wrong(path, MANIFEST)
    assert (wrong.costs, wrong.breaks) == ("all of it", ("a rule",))
    path.write_text('"""gather: off by one"""\n\nfrom __future__ import annotations\n')
    with pytest.raises(ManifestError, match=r"x\.py:3: leave out"):
        variants.read_wrong(path, MANIFEST)


def test_a_function_that_the_reference_lacks_is_named():
    first, *others = MANIFEST.exercise
    wrong = msgspec.structs.replace(first, functions=("dtypes.nosuch",))
    exercises = msgspec.structs.replace(MANIFEST, exercise=(wrong, *others))
    with pytest.raises(ManifestError, match=r"the reference does not define dtypes\.nosuch"):
        clauses.all_clauses(exercises)
