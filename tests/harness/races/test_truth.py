"""A submission's timer is compared with the judge's clock."""

import pytest

from assignment.programs.timer import Timer
from grader.causes import Cause
from tests.harness.conftest import long_unless
from tests.harness.races import racing

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
def test_timer_that_is_about_right_passes(raced, timer_grader, times):
    grade, check = raced(timer_grader, racing.TIMER, racing.TIMER.module_text(times))
    assert (check.state, grade.score) == ("passed", grade.max_score), check.detail
    assert (check.truth.seconds, check.truth.mfu) == (pytest.approx(times), pytest.approx(times))


WRONG = {str(t): racing.TIMER.module_text(t) for t in (0.0001, 0.75, 1.25, 20.0, "float('nan')")}
WRONG["a constant"] = (
    "def time_function(function, **_):\n    return [1e-6]\n"
    "\n\ndef measured_mfu(flops, seconds, peak):\n    return flops / 1e-6 / peak\n"
)


@pytest.mark.parametrize("kind", long_unless(WRONG, "1.25", "float('nan')", "a constant"))
def test_timer_that_is_wrong_fails(raced, timer_grader, kind):
    grade, check = raced(timer_grader, racing.TIMER, WRONG[kind])
    assert (grade.score, check.cause) == (0, Cause.WRONG_ANSWER), check.detail
