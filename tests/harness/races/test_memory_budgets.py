"""Memory budgets: the mark is the share of the budgets that are enough."""

import pytest

from assignment.programs.memory import Recompute
from grader.causes import Cause
from tests.harness.conftest import long_unless
from tests.harness.races import racing

pytestmark = pytest.mark.usefixtures("short_races")


@pytest.fixture
def small(monkeypatch):
    """Half as large, where no mark hangs on what a process needs beside the program."""
    sizes = {"layers": 64, "elements": 2**18}
    monkeypatch.setattr(Recompute, "sizes_on", lambda *_: sizes)


@pytest.fixture(scope="module")
def recompute_grader(hash_grader, tmp_path_factory):
    """TIMES 1, 4 and 8 mean eight, two and one segment; one segment stores all activations."""
    place = tmp_path_factory.mktemp("depths")
    with racing.grader_for(place, racing.RECOMPUTE, naive=8.0, started=hash_grader) as grader:
        yield grader


@pytest.mark.parametrize(
    ("times", "mark"), long_unless([(1.0, 1.0), (4.0, 0.5), (8.0, 0.0)], (4.0, 0.5))
)
def test_mark_follows_from_the_memory_budgets_that_are_enough(raced, recompute_grader, times, mark):
    text = racing.RECOMPUTE.module_text(times)
    grade, check = raced(recompute_grader, racing.RECOMPUTE, text)
    assert check.fit is not None, check.detail
    assert check.fit.fitted == (mark > 0, mark == 1)
    assert (check.state, check.cause) == (
        ("passed", None) if mark == 1 else ("failed", Cause.MEMORY)
    )
    assert grade.score == mark * grade.max_score


@pytest.mark.usefixtures("small")
def test_wrong_gradients_within_the_budget_earn_nothing(raced, recompute_grader):
    text = racing.RECOMPUTE.module_text(1.0).replace("layers[start :", "layers[start + 1 :")
    grade, check = raced(recompute_grader, racing.RECOMPUTE, text)
    assert (grade.score, check.cause) == (0, Cause.WRONG_ANSWER)


@pytest.mark.usefixtures("small")
def test_exercise_is_not_measured_if_the_naive_program_fits(raced, hash_grader, tmp_path):
    place = tmp_path / "race"
    with racing.grader_for(place, racing.RECOMPUTE, naive=1.0, started=hash_grader) as grader:
        text = racing.RECOMPUTE.module_text(8.0)
        _, check = raced(grader, racing.RECOMPUTE, text)
    assert (check.state, check.cause) == ("not_run", Cause.NOT_MEASURED)
