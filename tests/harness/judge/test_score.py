"""From outcomes to points: weights, parameters, unmeasured exercises, totals."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assignment.manifest import Exercise
from grader.causes import Cause
from grader.judge.verdict import Outcome, score, total
from grader.results.record import Check


def exercise(name="a", points=6.0, **fields):
    fields |= {"title": f"Title {name}", "chapter": "c", "functions": ("m.f",), "hint": "h"}
    return Exercise(id=name, points=points, **fields)


def outcome(
    test="t",
    state="passed",
    *,
    weight=1.0,
    function=None,
    of="a",
    cause=None,
    visibility="hidden",
    needs="",
    manner="",
):
    check = Check(
        exercise=of,
        test=test,
        title=test,
        state=state,
        points=0.0,
        max_points=0.0,
        cause=cause,
        visibility=visibility,
    )
    return Outcome(check, weight, function or test, needs, manner)


def points(outcomes, exercises=None, visibility="hidden"):
    checks, scores = score(exercises or [exercise()], outcomes, visibility)
    return [(c.points, c.max_points) for c in checks], scores


def test_points_are_shared_by_weight():
    shares, (only,) = points(
        [outcome("x", weight=1), outcome("y", "failed", weight=2), outcome("z", weight=3)]
    )
    assert shares == [(1.0, 1.0), (0.0, 2.0), (3.0, 3.0)]
    assert (only.points, only.max_points, only.measured) == (4.0, 6.0, True)


def test_parameters_of_a_test_share_its_weight():
    outcomes = [outcome(f"x[{i}]", "passed" if i else "failed", function="x") for i in range(4)]
    shares, (only,) = points([*outcomes, outcome("y", "failed", weight=2)])
    assert [most for _, most in shares] == [0.5] * 4 + [4.0]
    assert only.points == 1.5


def test_two_files_may_have_tests_of_one_name():
    shares, _ = points([outcome("t", function="a::t"), outcome("t", "failed", function="b::t")])
    assert shares == [(3.0, 3.0), (0.0, 3.0)]


def test_a_check_earns_nothing_without_the_work_that_it_needs():
    outcomes = [outcome("x", needs="work"), outcome("y", "failed", needs="work"), outcome("z")]
    shares, _ = points([*outcomes, outcome("work")])
    assert [got for got, _ in shares] == [1.5, 0.0, 1.5, 1.5]
    checks, _ = score([exercise()], [*outcomes, outcome("work", "failed")], "hidden")
    assert [c.points for c in checks] == [0.0, 0.0, 1.5, 0.0]
    assert [c.cause for c in checks] == [Cause.NEEDS_WORK, None, None, None]
    assert [(c.state, c.waits_for) for c in checks[:2]] == [("open", 4), ("failed", None)]


def test_public_tests_carry_no_points_in_a_grading():
    shares, (only,) = points([outcome("p", visibility="public"), outcome("h", "failed")])
    assert shares == [(0.0, 0.0), (0.0, 6.0)]
    assert only.points == 0


def test_public_tests_give_all_points_if_no_hidden_ones_run():
    shares, (only,) = points([outcome("p", visibility="public")], visibility="public")
    assert shares == [(6.0, 6.0)]
    assert only.points == 6


def test_points_are_hundredths_that_add_up():
    """Although 7 cannot be shared in three, and three thirds are not one in floating point"""
    outcomes = [outcome(f"t{i}", weight=1 / 3) for i in range(3)]
    shares, (only,) = points(outcomes, [exercise(points=7.0)])
    assert [got for got, _ in shares] == [2.34, 2.33, 2.33]
    assert only.points == 7.0
    outcomes[1] = outcome("t1", "failed", weight=1 / 3)
    _, (only,) = points(outcomes, [exercise(points=7.0)])
    assert only.points == 4.67


@pytest.mark.parametrize("cause", [Cause.GRADER_FAULT, Cause.NEEDS_CUDA])
def test_check_that_cannot_be_measured_leaves_the_exercise_out_of_the_total(cause):
    exercises = [exercise("a", 6), exercise("b", 4)]
    outcomes = [
        outcome("x", of="a"),
        outcome("y", "not_run", of="a", cause=cause),
        outcome("z", of="b"),
    ]
    _, scores = points(outcomes, exercises)
    assert [s.measured for s in scores] == [False, True]
    assert total(scores) == (4.0, 4.0)


def test_further_exercise_has_points_beside_the_total():
    exercises = [exercise("a", 6), exercise("b", 4, core=False)]
    _, scores = points([outcome("x", of="a"), outcome("y", of="b")], exercises)
    assert [(s.points, s.core) for s in scores] == [(6.0, True), (4.0, False)]
    assert total(scores) == (6.0, 6.0)


def test_exercise_without_tests_is_not_in_the_total():
    _, scores = points([outcome("x", of="a")], [exercise("a"), exercise("b")])
    assert [s.id for s in scores] == ["a"]


def test_checks_keep_their_order_and_other_fields():
    outcomes = [outcome("b", "failed", cause=Cause.TIMEOUT), outcome("a", visibility="public")]
    checks, _ = score([exercise()], outcomes, "hidden")
    for check, given_ in zip(checks, outcomes, strict=True):
        assert msgspec.structs.replace(check, points=0.0, max_points=0.0) == given_.check


def test_total_of_nothing_is_zero_of_zero():
    assert total([]) == (0, 0)


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from("ab"),
            st.sampled_from(["passed", "failed", "not_run"]),
            st.floats(0.1, 10),
            st.integers(0, 3),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_points_never_exceed_the_maximum_and_shares_sum_to_it(tests):
    weights = {}
    outcomes = [
        outcome(
            f"t{i}", state, of=of, weight=weights.setdefault((of, n), weight), function=f"{of}{n}"
        )
        for i, (of, state, weight, n) in enumerate(tests)
    ]
    checks, scores = score([exercise("a", 6), exercise("b", 4)], outcomes, "hidden")
    for one in scores:
        own = [c for c in checks if c.exercise == one.id]
        assert round(sum(c.max_points for c in own), 9) == one.max_points
        assert round(sum(c.points for c in own), 9) == one.points
        assert one.points <= one.max_points
        assert (one.points == one.max_points) == all(c.state == "passed" for c in own)


def test_a_check_that_fails_as_an_earlier_one_of_its_exercise_does_is_open():
    """Nothing tells whether its own rule holds. A case of one test, another manner, another
    exercise and a rule of its own stay failed."""
    outcomes = [
        outcome("rows", visibility="public"),
        outcome("values[1]", "failed", function="values", manner="a"),
        outcome("values[2]", "failed", function="values", manner="a"),
        outcome("refuses", "failed", manner="a"),
        outcome("raises", "failed", manner="ValueError"),
        outcome("own rule", "failed"),
        outcome("another own rule", "failed"),
        outcome("elsewhere", "failed", of="b", manner="a"),
        outcome("public", "failed", visibility="public", manner="a"),
        outcome("fine"),
    ]
    checks, (a, _) = score([exercise(), exercise("b", 1.0)], outcomes, "hidden")
    assert {check.test: check.waits_for for check in checks if check.state == "open"} == {
        "refuses": 2
    }
    assert [check.state for check in checks if check.test != "refuses"] == [
        one.check.state for one in outcomes if one.check.test != "refuses"
    ]
    assert a.points == 1.0, "one of six functions"
