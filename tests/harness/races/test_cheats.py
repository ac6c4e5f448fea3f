"""Cheats at timing gain nothing.

Those that show only by their time are timed by the worker's CPU time, as the kernel counts it:
eight times the reference's work must take more than twice its time.
"""

import shutil
from pathlib import Path

import pytest

from assignment import manifest
from assignment.programs.products import MatmulChain
from grader.causes import Cause
from grader.races import device
from tests.harness.conftest import long_unless
from tests.harness.container import REPOSITORY
from tests.harness.races import racing
from tests.harness.races.conftest import grade_once

CHEATS = REPOSITORY / "tests" / "submissions" / "cheats"
pytestmark = pytest.mark.usefixtures("short_races")
WRONG, SLOW, TIMEOUT = Cause.WRONG_ANSWER, Cause.TOO_SLOW, Cause.TIMEOUT
# The causes for which each cheat may fail. Its honest work takes eight times the reference's time.
EXPECTED_CAUSES = {
    "another_dtype": {WRONG},
    "collapses_the_chain": {WRONG},
    "computes_ahead": {SLOW},
    "endless_warm_up": {TIMEOUT},
    "finds_the_reference": {SLOW},
    "guesses_seeds": {WRONG},
    "infinities": {WRONG},
    "lazy_tensor": {Cause.NOT_PLAIN_DATA, SLOW, WRONG},
    "leaves_work_to_a_thread": {WRONG},
    "lower_precision": {WRONG},
    "nan_as_a_wildcard": {WRONG},
    "only_the_last_product": {WRONG},
    "patches_clocks": {SLOW},
    "patches_the_program": {WRONG},
    "reads_earlier_results": {WRONG},
    "replays_by_content": {WRONG},
    "right_half_of_the_time": {WRONG},
    "searches_its_memory": {SLOW},
    "shrinks_its_inputs": {WRONG},
    "slow_warm_up": {SLOW},
    "slows_the_reference": {SLOW, TIMEOUT},
    "smaller_answer": {WRONG},
    "stale_buffer": {WRONG},
    "stops_when_not_watched": {WRONG},
    "zeroes_its_inputs": {WRONG},
}
# One of each kind: works ahead or elsewhere, at another time, less, or finds what it must not.
SHORT = (
    *("computes_ahead", "leaves_work_to_a_thread", "lower_precision"),
    *("reads_earlier_results", "replays_by_content", "stops_when_not_watched"),
)
USE_ALL_TIME = {"endless_warm_up"}  # cheats that run until their time limit
ON_CUDA = {
    "cuda_graph_replay": {WRONG},
    "heats_the_device": {SLOW, TIMEOUT},
    "side_stream": {WRONG, SLOW},
}


@pytest.fixture
def graded(tmp_path):
    """Grades a cheat, which has honest work in a module beside it."""

    def graded(grader, name):
        folder = Path(shutil.copytree(CHEATS / name, tmp_path / name))
        shutil.copy(CHEATS / "honest.py", folder / "resource_accounting")
        return grade_once(grader, folder)

    return graded


@pytest.fixture(scope="module")
def product_grader(hash_grader, tmp_path_factory):
    place = tmp_path_factory.mktemp("products")
    with racing.grader_for(place, racing.PRODUCTS, started=hash_grader) as grader:
        yield grader


@pytest.fixture(scope="module")
def cuda_grader(tmp_path_factory):
    """Races of matrices that a device multiplies in milliseconds."""
    place = tmp_path_factory.mktemp("on_cuda")
    sizes = {"n": 2048, "distinct": 8, "products": 96}
    with (
        pytest.MonkeyPatch.context() as monkeypatch,
        racing.grader_for(place, racing.PRODUCTS, kind="cuda") as grader,
    ):
        monkeypatch.setattr(MatmulChain, "sizes_on", lambda *_: sizes)
        yield grader


@pytest.mark.parametrize("name", long_unless(EXPECTED_CAUSES, *SHORT))
def test_cheat_gains_nothing(graded, product_grader, by_cpu_time, name):
    if name in USE_ALL_TIME:
        racing.change_rules(slack=5.0)
    grade, check = graded(product_grader, name)
    assert grade.score == 0
    assert check.cause in EXPECTED_CAUSES[name], check.detail


@pytest.mark.parametrize("name", ON_CUDA)
@pytest.mark.skipif(device.find() is None, reason="needs a CUDA device, and nvidia-ml-py")
def test_cheat_gains_nothing_on_cuda(graded, cuda_grader, monkeypatch, name):
    monkeypatch.undo()  # a whole race, by the clock
    grade, check = graded(cuda_grader, name)
    assert grade.score == 0
    assert check.cause in ON_CUDA[name], check.detail


def test_cheats_on_a_device_have_the_limits_of_its_exercises():
    """A driver reserves more addresses than other tests may have"""
    found = racing.PRODUCTS.manifest("cuda").limits
    usual = manifest.load()
    expected = usual.limits_of(usual["fast_products"])
    assert (found.seconds, found.memory_mib, found.address_space) == (
        expected.seconds,
        expected.memory_mib,
        expected.address_space,
    )
    assert not found.address_space


def test_every_cheat_is_in_a_table_and_has_its_own_docstring():
    folders = {path.name for path in CHEATS.iterdir() if (path / "resource_accounting").is_dir()}
    assert folders == set(EXPECTED_CAUSES) | set(ON_CUDA)
    first_lines = {
        (CHEATS / name / "resource_accounting" / "performance.py").read_text().splitlines()[0]
        for name in folders
    }
    assert len(first_lines) == len(folders)
    assert all(line.startswith('"""') and line.endswith('"""') for line in first_lines)


def test_honest_products_earn_everything(raced, product_grader, by_cpu_time):
    """A test of the tests above: without a cheat they pass"""
    grade, _ = raced(product_grader, racing.PRODUCTS, racing.PRODUCTS.module_text(1.0))
    assert grade.score == grade.max_score
