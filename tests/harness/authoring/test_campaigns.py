"""The campaigns `flakes` and `stable-marks` find the defects of a small assignment."""

import itertools
import re
from functools import partial

import pytest

from grader.authoring.campaigns import flakes, stable_marks
from grader.authoring.campaigns.inprocess import Assignment, CampaignError
from grader.authoring.campaigns.stable_marks import Draw, Finding, Report
from tests.harness import warm
from tests.harness.authoring import toys
from tests.harness.conftest import REPOSITORY

WRONG = {
    "always": ("double", "def double(n):\n    return 0"),
    "now_and_then": ("triple", "def triple(n):\n    return 3"),
    "never": ("triple", "def triple(n):\n    return n + n + n"),
    "dies": ("double", "def double(n):\n    import os\n    os._exit(1)"),
    "hangs": ("double", "def double(n):\n    while True:\n        pass"),
    "swallows": (
        "double",
        "def double(n):\n    while True:\n        try:\n            [0] * 10**9\n"
        "        except MemoryError:\n            return 0\n        except Exception:\n"
        "            continue",
    ),
}


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """The small assignment, with six wrong submissions."""
    written = {name: f'"""{of}: wrong"""\n\n\n{code}\n' for name, (of, code) in WRONG.items()}
    return toys.write(tmp_path_factory.mktemp("toys"), written)


@pytest.fixture
def run(small):
    """Runs a command of the grader on the small assignment."""
    return partial(toys.run, small)


# --- flakes --------------------------------------------------------------------------------------


def test_a_planted_flake_is_found_and_repeated(run):
    """With some nonces, on each submission; the printed command and a resumed campaign repeat it"""
    found = run("flakes", "--nonces", "4", "--runs", "10000", "--seed", "planted", "--jobs", "2")
    assert found.status == 1, found.said
    failures = re.findall(r"✗ (\S+) on (.+), nonce (\S+): (\w+)", found.said)
    assert {test for test, *_ in failures} == {"test_toy::test_remember"}
    assert {submission for _, submission, *_ in failures} == {"the reference", "another"}
    nonces = {nonce for *_, nonce, _ in failures}
    assert 0 < len(nonces) < 4
    assert "AssertionError: one nonce in four" in found.said
    assert f"4 nonces, 40 test runs, {len(failures)} failed" in found.said
    assert "each test ran 8 to 8 times, on all submissions together" in found.said

    nonce = min(nonces)
    command = f"grader author flakes --nonce '{nonce}' --test 'test_toy::test_remember'"
    assert f"repeat: {command}\n" in found.said
    again = run("flakes", "--nonce", nonce, "--test", "test_toy::test_remember")
    assert again.status == 1
    assert "1 nonces, 2 test runs, 2 failed" in again.said

    rest = run("flakes", "--nonces", "4", "--seed", "planted", "--first", "3")
    later = {nonce for nonce in nonces if int(nonce.removeprefix("planted-")) >= 3}
    assert later == set(re.findall(r", nonce (\S+):", rest.said)) != set()


def test_correct_code_passes(run):
    found = run("flakes", "--nonces", "3", "--test", "test_toy::test_double", "--seed", "s")
    assert found.status == 0, found.said
    assert "3 nonces, 6 test runs, 0 failed" in found.said
    found = run("flakes", "--nonces", "3", "--test", "test_toy::test_double", "--reference")
    assert found.status == 0, found.said
    assert "3 nonces, 3 test runs, 0 failed" in found.said


# Sends this process a signal after the first nonces.
ENDING = """
import os, signal
from grader.authoring.campaigns import report

noted = report.FlakesPrinter.nonce

def end(*arguments):
    noted(*arguments)
    os.kill(os.getpid(), signal.SIGTERM)

report.FlakesPrinter.nonce = end
"""


def test_a_terminated_campaign_leaves_nothing(run):
    """SIGTERM ends it with its figures; the driver checks for files that are left"""
    campaign = ("flakes", "--nonces", "1000000", "--test", "test_toy::test_double")
    done = run(*campaign, before=ENDING)
    assert "each test ran " in done.said
    assert "left behind" not in done.said
    assert done.status == 1


def test_unknown_tests_are_named(run):
    found = run("flakes", "--test", "test_toy::test_gone")
    assert found.status == 2
    assert "no hidden test is called test_toy::test_gone" in found.said


# Nonces with which a hidden test once failed on the reference, by test.
ONCE_REFUSED = {
    "test_data::test_opening_terabytes_reads_nothing": "00",
    "test_floats::test_sums_overflow": "o2281",
    "test_optimizers::test_adam_eps_is_outside_the_root": "draws-79274",
    "test_optimizers::test_eps_is_outside_the_root": "draws-36829",
    "test_precision::test_fp16_resolution": "draws-4441",
    "test_precision::test_fp16_survives_a_scale_too_large": f"{0x2BD:032x}",
}


AGAIN = """
import sys
from grader.authoring.campaigns import flakes, inprocess

own = inprocess.Assignment()
batches = [
    inprocess.Batch(label, folder, nonce, (test,))
    for label, folder in flakes.correct(own).items()
    for test, nonce in zip(sys.argv[1::2], sys.argv[2::2])
]

with inprocess.collected_in_process(own.manifest, own.repository) as tests:
    for batch, (outcome,) in tests.run(batches):
        print(batch.label, outcome.check.test, outcome.check.state, outcome.check.detail)
"""


def test_reference_is_not_refused_again():
    """Nor are the other correct solutions"""
    done = warm.run("-c", AGAIN, *itertools.chain(*ONCE_REFUSED.items()), cwd=REPOSITORY)
    lines = done.stdout.splitlines()
    assert len(lines) == 3 * len(ONCE_REFUSED), done.stdout + done.stderr
    assert [line for line in lines if not line.endswith(" passed None")] == []


def test_cheap_tests_run_more_often_than_slow_ones():
    """Shares fall with the cost, add up to the requested runs, and have a minimum"""
    pairs = [("s", f"cheap {i}") for i in range(98)] + [("s", "slow"), ("s", "slower")]
    seconds = dict.fromkeys(pairs, 0.001) | {pairs[-2]: 0.2, pairs[-1]: 20.0}
    shares = flakes._shares(pairs, seconds, 10_000, 1000)
    assert sum(shares.values()) * 1000 == pytest.approx(10_000, rel=1e-3)
    assert shares["s", "slow"] == pytest.approx(shares["s", "cheap 0"] / 10)
    assert shares["s", "slower"] == flakes._LEAST / 1000
    assert set(flakes._shares(pairs, seconds, 10**9, 1000).values()) == {1.0}
    for pair, share in shares.items():
        times = sum(flakes._is_due(pair, share, nonce) for nonce in range(1, 1001))
        assert abs(times - 1000 * share) <= 1


# --- draws ---------------------------------------------------------------------------------------


def test_a_mark_that_depends_on_the_draw_is_found(run):
    """With the tests whose outcome differs; code that dies or hangs loses in every draw"""
    found = run("stable-marks", *WRONG, "--nonces", "4", "--seed", "laid")
    assert found.status == 1, found.said
    lines = found.said.splitlines()
    of = {line.split()[2]: line.split()[0] for line in lines if re.match(r"[✓✗] +\d", line)}
    assert of == {**dict.fromkeys(WRONG, "✓"), "now_and_then": "✗", "never": "✗"}
    changes = r"now_and_then 0 to 1 of 4\n +test_toy::test_one_of_two \w+ in \d of 4: laid \d"
    assert re.search(changes, found.said)
    assert re.search(r"always 0 of 8", found.said), "what builds on it fails, too"
    assert "loses no points in triple with nonces laid 0, laid 1" in found.said
    assert "now_and_then: its marks depend on the draw. Test the case in every draw" in found.said
    assert "5 of 6 submissions get the same marks in every draw (seed laid)" in found.said


def test_error_lists_submissions_that_do_not_exist():
    with pytest.raises(CampaignError, match="neither a wrong submission nor an alternative: gone"):
        list(stable_marks.run(Assignment(), ["gone"], seed="planted"))


def finding(name: str, *points: float) -> Finding:
    """A wrong submission with these marks, one for each draw."""
    made = [Draw(str(i), {"e": p}, {"t": "failed"}) for i, p in enumerate(points)]
    return Finding(name, "e", {"e": 3.0}, tuple(made))


def test_one_mark_that_changes_or_costs_nothing_is_too_many():
    many = [finding(f"constant {i}", 1.0, 1.0) for i in range(398)]
    assert Report(many).holds
    assert not Report([*many, finding("changing", 1.0, 2.0)]).holds
    assert not Report([*many, finding("never", 3.0, 3.0)]).holds


# --- screen --------------------------------------------------------------------------------------


def test_screen_lists_what_no_test_catches(tmp_path):
    """And what a public test alone catches; mistakes that hidden tests catch are counted"""
    for name, result in (("constant", "4"), ("right", "_right(layers)")):
        (tmp_path / f"segments_{name}.py").write_text(
            f'"""segments: {name}"""\n\n_right = best_segments\n\n\n'
            f"def best_segments(layers):\n    return {result}\n"
        )
    found = warm.run("-c", toys.GRADER, "author", "try-mistakes", str(tmp_path), cwd=REPOSITORY)
    assert found.returncode == 1, found.stdout
    listed, *counts = found.stdout.splitlines()
    assert listed == f"{tmp_path}/segments_right.py: right"
    assert re.match(r"recompute +of +2, +1 fail a hidden test and +0 a public one", counts[0])


def test_screen_refuses_a_file_that_no_module_could_hold(run, tmp_path):
    (tmp_path / "double_late.py").write_text(
        '"""double: late"""\n\nfrom __future__ import annotations\n'
    )
    found = run("try-mistakes", str(tmp_path))
    assert found.status == 2, found.said
    assert "leave out `from __future__`" in " ".join(found.said.split())
