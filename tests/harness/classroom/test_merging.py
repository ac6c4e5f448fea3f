"""A grade of which some exercises ran again is the grade that all would have had."""

from types import SimpleNamespace

import msgspec
import pytest

from grader.classroom import merging, run
from grader.classroom.folder import Failure, StudentFolder, current_run, end_run
from grader.classroom.merging import merged
from grader.judge.provenance import verdicts_hash
from grader.results.record import Budget, FurtherFailure, FurtherRuns, Isolation
from tests.harness.classroom.fakes import EXERCISES, FakeGrader, hand_in, provenance
from tests.harness.results.example_grade import check, exercise
from tests.harness.results.example_grade import grade as a_grade

# Of those that need a device some have hidden tests, too, and some are only raced.
WANTED = [one for one in EXERCISES if one.id not in ("fast_batches", "true_timer")]
LAST = [one for one in WANTED if one.core and not one.needs][-1]


def of(only=(), share=0.5, raced=False, **fields):
    """A grade of some exercises, each with this share of its points; `raced`: on a GPU."""
    chosen = [one for one in (EXERCISES if raced else WANTED) if not only or one.id in only]
    most = sum(one.points for one in chosen if one.core and (raced or not one.needs))
    return a_grade(
        score=share * most,
        max_score=most,
        checks=tuple(check(one.id, points=share * one.points) for one in chosen),
        exercises=tuple(
            exercise(
                *(one.id, share * one.points, one.points),
                measured=raced or not one.needs,
                core=one.core,
            )
            for one in chosen
        ),
        further=FurtherRuns(
            runs=1,
            charged=0.5,
            failures=tuple(
                FurtherFailure(exercise=one.id, test="t", title="", seed=1)
                for one in [e for e in chosen if e.core and (raced or not e.needs)][-1:]
            ),
        ),
        **fields,
    )


def test_it_has_the_points_of_both_in_the_manifests_order():
    first, last = WANTED[0], LAST
    whole = merged(of(), of([last.id], 1.0, seconds=1.0), EXERCISES)
    assert [score.id for score in whole.exercises] == [one.id for one in WANTED]
    assert {s.id: s.points / s.max_points for s in whole.exercises} == {
        **dict.fromkeys((one.id for one in WANTED), 0.5),
        last.id: 1.0,
    }
    assert whole.score == pytest.approx(50 + 0.5 * last.points)
    assert (whole.max_score, whole.seconds) == (100.0, 1.0)
    assert whole.verdicts == verdicts_hash(whole.checks, EXERCISES)
    assert (whole.further.runs, len(whole.further.failures), whole.again) == (2, 1, (last.id,))
    both = merged(whole, of([first.id], 0.0), EXERCISES)
    assert both.again == (first.id, last.id)
    assert [failure.exercise for failure in both.further.failures] == [last.id, first.id]


def test_another_list_of_exercises_or_points_needs_all():
    first, second, *_ = WANTED
    assert merged(of([first.id]), of([second.id]), EXERCISES) is None
    more = msgspec.structs.replace(second, points=second.points + 1)
    changed = tuple(more if one is second else one for one in EXERCISES)
    today = msgspec.structs.replace(EXERCISES, exercise=changed)
    assert merged(of(), of([first.id]), today) is None


class Whole(FakeGrader):
    """Gives half of the points, and all where only some exercises run; notes what it is asked."""

    def __init__(self, folder):
        folder.mkdir()
        super().__init__(folder)
        self.asked = []

    def grade(self, submission, *, only, nonce, timing, **options):
        self.asked.append((nonce, only))
        new = of(only, 1.0 if only else 0.5, timing == "require")
        same = ("score", "max_score", "checks", "exercises")
        found = super().grade(submission, only=only, nonce=nonce, timing=timing, **options)
        return msgspec.structs.replace(found, **{name: getattr(new, name) for name in same})


@pytest.fixture
def graded(tmp_path, monkeypatch):
    """Grades `ada`, who hands in a text; the tests of the exercises of `again` have changed."""
    grader = Whole(tmp_path / "log")

    def go(text, again=(), races=False):
        hand_in(tmp_path / "in", ada=text)
        monkeypatch.setattr(run, "to_rerun", lambda *_: set(again) or None)
        order = run.Order(tmp_path / "marks", ("A",), races=races)
        run.grade_one(grader, run.Job(tmp_path / "in" / "ada", ("ada",)), order)
        return grader.asked[-1]

    return go


@pytest.mark.parametrize("is_published", [False, True], ids=["before publishing", "after"])
def test_the_same_files_keep_their_nonce_and_others_get_a_new_one(
    graded, tmp_path, monkeypatch, is_published
):
    first, _ = graded("7")
    if is_published:
        end_run(tmp_path / "marks")
    monkeypatch.setattr(run, "tree_hash", lambda: "a corrected test")
    assert graded("7") == (first, ())
    assert (graded("6")[0] == first) != is_published
    assert graded("8") == (current_run(tmp_path / "marks").nonce, ())


def test_only_the_corrected_exercise_runs_again(graded, tmp_path, monkeypatch):
    """Of files that have a grade; all exercises of others"""
    last, ada = LAST, StudentFolder(tmp_path / "marks", "ada")
    nonce, only = graded("7", (last.id,))
    assert (only, ada.grade().score) == ((), 50.0)
    monkeypatch.setattr(run, "tree_hash", lambda: "a corrected test")
    assert graded("7", (last.id,)) == (nonce, {last.id})
    assert (ada.grade().score, ada.grade().again) == (50.0 + 0.5 * last.points, (last.id,))
    assert (ada.previous().score, ada.previous().nonce) == (50.0, nonce)


def test_after_a_fault_the_grading_before_is_still_of_use(graded, tmp_path, monkeypatch):
    """As after a mistake in the corrected test"""
    ada = StudentFolder(tmp_path / "marks", "ada")
    nonce, _ = graded("7")
    ada.write_failure(Failure("fault", "NameError"), ada.source())
    end_run(tmp_path / "marks")
    monkeypatch.setattr(run, "tree_hash", lambda: "a corrected test")
    assert graded("7", (LAST.id,)) == (nonce, {LAST.id})


def test_races_are_added_to_a_grade_and_run_once(graded, tmp_path):
    """Only what was not measured; the machine without a device keeps what it did not run"""
    ada = StudentFolder(tmp_path / "marks", "ada")
    raced = tuple(one.id for one in EXERCISES if one.needs)
    nonce, _ = graded("7")
    assert graded("7", races=True) == (nonce, raced)
    assert (ada.grade().score, ada.grade().max_score) == (50.0 + 16.0, 116.0)
    assert graded("7", races=True) == graded("7") == (nonce, raced), "nothing ran again"
    assert graded("8", races=True) == (nonce, raced), "all of it, and then the races"


def test_what_has_races_runs_whole_again_and_needs_its_races_anew(graded, tmp_path, monkeypatch):
    """Alone it would keep the measures of tests that have changed"""
    nonce, raced = graded("7", races=True)
    monkeypatch.setattr(run, "tree_hash", lambda: "a corrected race")
    assert graded("7", (raced[0],)) == (nonce, ())
    assert StudentFolder(tmp_path / "marks", "ada").grade().max_score == 100.0
    assert graded("7", races=True) == (nonce, raced)


def test_who_drew_on_the_budget_runs_whole_again(graded, tmp_path, monkeypatch):
    """Alone an exercise would have time that the others had used up"""
    monkeypatch.setattr(run, "tree_hash", lambda: "a corrected test")
    spent = Budget(seconds=200.0, drawn=64.0, bound=900.0)
    ada = StudentFolder(tmp_path / "marks", "ada")
    nonce, _ = graded("7")
    ada.write_grade(msgspec.structs.replace(ada.grade(), budget=spent), ada.source())
    monkeypatch.setattr(run, "tree_hash", lambda: "corrected once more")
    assert graded("7", (LAST.id,)) == (nonce, ())


def test_change_that_concerns_no_exercise_keeps_the_grade(graded, tmp_path, monkeypatch):
    graded("7")
    order = run.Order(tmp_path / "marks", ("A",))
    before = StudentFolder(tmp_path / "marks", "ada").grade()
    monkeypatch.setattr(run, "to_rerun", lambda *_: set())
    monkeypatch.setattr(run, "tree_hash", lambda: "another comment")
    monkeypatch.setattr(merging, "tree_hash", lambda: "another comment")
    job = run.Job(tmp_path / "in" / "ada", ("ada",))
    idle = SimpleNamespace(manifest=EXERCISES)  # it must not grade
    assert run.grade_one(idle, job, order) == "unchanged"
    after = StudentFolder(tmp_path / "marks", "ada").grade()
    assert (after.provenance.tree, after.checks) == ("another comment", before.checks)


def test_of_two_tiers_the_weaker_is_named():
    strong, weak = (of(isolation=Isolation(tier=tier, probes={})) for tier in ("A", "C"))
    strong, weak = (
        msgspec.structs.replace(one, provenance=provenance("x", tier=one.isolation.tier))
        for one in (strong, weak)
    )
    for before, again in ((strong, weak), (weak, strong)):
        whole = merged(before, again, EXERCISES)
        assert (whole.isolation.tier, whole.provenance.tier) == ("C", "C")
