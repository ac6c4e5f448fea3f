"""Hostile submissions: each earns nothing, is named for what it did, and leaves the judge alive.

`attacks.py` is the table of them, and `hand_in.py` finds each in `submissions/`. Its first line
names the exercise or function that it attacks, and says what it tries. Those that look for
something answer rightly once they found it: an attack that succeeds scores.
"""

import os
from collections.abc import Iterator
from contextlib import nullcontext

import pytest

from grader.judge.grader import Grader
from tests.harness.conftest import CANARY, FRESH, REPOSITORY, long_unless
from tests.harness.hostile.assertions import (
    assert_earns_nothing,
    assert_no_secret_shown,
    assert_nothing_left,
    secret_lines,
    student_outputs,
    time_limit,
    with_other_details,
)
from tests.harness.hostile.attacks import (
    CAUSES,
    CLASSES,
    EVERY_TENTH,
    NEVER_ENDS,
    ONLY_IN_TIER_A,
)
from tests.harness.hostile.hand_in import hand_in, sources, target_of


@pytest.fixture(scope="module")
def unwalled() -> Iterator[Grader]:
    """A judge whose workers are not isolated: for attacks that change nothing."""
    with Grader(("none",), lanes=1) as grader:
        yield grader


def test_every_attack_that_lies_there_is_in_the_table():
    assert set(sources()) == set(CAUSES)
    assert len(CAUSES) >= 200
    assert len(CLASSES) <= 22  # the table of attacks by layer has a line for each


def test_every_attack_says_what_it_tries_and_no_two_try_the_same():
    said = [source.tries for source in sources().values()]
    assert all(len(what) > 5 for what in said)
    assert len(set(said)) == len(said)


@pytest.mark.parametrize("name", long_unless(CAUSES, *EVERY_TENTH))
def test_attack_earns_nothing_and_leaves_the_judge_alive(
    quick_grader, sandboxed, idle_processes, tmp_path, name
):
    if name in ONLY_IN_TIER_A and quick_grader.zygote.tier != "A":
        pytest.skip("only tier A stops this attack, and this machine offers another")
    exercise, folder = target_of(name), hand_in(name, tmp_path / "in")
    with nullcontext() if name in NEVER_ENDS else time_limit(quick_grader, 60.0):
        grade = quick_grader.grade(folder, only=[exercise], further_seeds=True, fresh=FRESH)
    assert_earns_nothing(grade, exercise, CAUSES[name].causes)
    assert_no_secret_shown(grade)
    assert_nothing_left(quick_grader, idle_processes)
    assert sandboxed(good="def f(): return 6").good.f() == 6


def test_judge_that_met_them_all_still_gives_full_marks(quick_grader, idle_processes):
    grade = quick_grader.grade(REPOSITORY / "solutions", only=["storage_index", "gather"])
    assert grade.faults == ()
    assert grade.score == grade.max_score > 0
    assert_nothing_left(quick_grader, idle_processes)


def test_canary_is_where_it_would_be_found(quick_grader):
    """A test of the tests above: the canary is in the judge, and the secret lines are secret."""
    assert os.environ["HARNESS_CANARY"] == CANARY
    assert len(secret_lines()) > 100


def test_words_of_public_tests_are_shown(quick_grader, tmp_path):
    """A test of the tests above: outputs do change where a student may read the detail."""
    grade = quick_grader.grade(hand_in("nan", tmp_path / "in"), only=["storage_index"])
    assert student_outputs(grade) == student_outputs(with_other_details(grade))
    assert "expected: 6" in student_outputs(grade)


def test_attack_in_further_seeds_has_its_say(grader, tmp_path):
    """A test of the tests above: it reaches them, and only staff reads what it says there"""
    name = "carries_to_further_seeds"
    folder = hand_in(name, tmp_path / "in")
    grade = grader.grade(folder, only=[target_of(name)], further_seeds=True, fresh=FRESH)
    assert not grade.faults
    assert grade.further, grade.checks
    (failure,) = grade.further.failures
    assert "carried out: " in failure.detail
    assert "carried out" not in student_outputs(grade)
    assert f"SEED={failure.seed}" in student_outputs(grade)


def test_attack_that_finds_something_scores(quick_grader, tmp_path):
    """A test of the tests above: without the walls around it, a search is rewarded."""
    folder = hand_in("looks_for_answers", tmp_path / "in")
    module = folder / "resource_accounting" / "strides.py"
    module.write_text(module.read_text().replace('"solutions",', '"json",'))
    grade = quick_grader.grade(folder, only=["storage_index"])
    assert grade.score is not None
    assert grade.score > 0


# The last two ask `submissions/reward.py` whether they have won, as many others do.
SEARCHES = (
    *("follows_the_installation", "searches_the_disk", "reads_processes"),
    *("asks_after_processes_by_number", "paths_of_its_package"),
)


@pytest.mark.parametrize("name", long_unless(SEARCHES, "reads_processes"))
def test_search_scores_where_there_are_no_walls(unwalled, tmp_path, name):
    """The same for attacks that only read, in a worker that nothing isolates."""
    grade = unwalled.grade(hand_in(name, tmp_path / "in"), only=["storage_index"])
    assert grade.score is not None
    assert grade.score > 0
