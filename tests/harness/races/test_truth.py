"""A submission's timer is compared with the judge's clock."""

import pytest

from assignment.programs.timer import Timer
from grader.causes import Cause
from tests.harness.conftest import long_unless
from tests.harness.races import racing
from tests.harness.races.conftest import grade_once

pytestmark = pytest.mark.usefixtures("short_races")


@pytest.fixture(scope="module")
def timer_grader(hash_grader, tmp_path_factory):
    """The clock is simulated, so the work may be small."""
    place = tmp_path_factory.mktemp("timers")
    with (
        pytest.MonkeyPatch.context() as patch,
        racing.grader_for(place, racing.TIMER, started=hash_grader) as grader,
    ):
        patch.setattr(Timer, "sizes_on", lambda *_: {"n": 4, "products": 1})
        yield grader


@pytest.mark.parametrize("times", long_unless([1.0, 0.85, 1.15], 1.0))
def test_timer_that_is_about_right_passes(timer_grader, tmp_path, times):
    text = racing.TIMER.module_text(times)
    grade, check = grade_once(timer_grader, racing.submission(tmp_path / "in", racing.TIMER, text))
    assert (check.state, grade.score) == ("passed", grade.max_score), check.detail
    assert (check.truth.seconds, check.truth.mfu) == (pytest.approx(times), pytest.approx(times))


@pytest.mark.parametrize(
    "times", long_unless([0.0001, 0.75, 1.25, 20.0, "float('nan')"], 1.25, "float('nan')")
)
def test_timer_that_is_wrong_fails(timer_grader, tmp_path, times):
    text = racing.TIMER.module_text(times)
    grade, check = grade_once(timer_grader, racing.submission(tmp_path / "in", racing.TIMER, text))
    assert (grade.score, check.cause) == (0, Cause.WRONG_ANSWER), check.detail


def test_timer_that_reports_a_constant_fails(timer_grader, tmp_path):
    text = "def time_function(function, **_):\n    return [1e-6]\n" + (
        "\n\ndef measured_mfu(flops, seconds, peak):\n    return flops / 1e-6 / peak\n"
    )
    grade, check = grade_once(timer_grader, racing.submission(tmp_path / "in", racing.TIMER, text))
    assert (grade.score, check.cause) == (0, Cause.WRONG_ANSWER), check.detail
