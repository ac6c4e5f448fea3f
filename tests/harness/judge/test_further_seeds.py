"""Public tests run with further seeds after a hidden one failed: what it finds and costs."""

import itertools
import os
import signal
from types import SimpleNamespace

import msgspec
import pytest

from assignment import manifest as manifests
from assignment.calls.implementation import seed_everything
from assignment.hooks import nonce_of, seed_of
from grader import signals
from grader.causes import Cause
from grader.judge import further_seeds
from grader.judge.further_seeds import SEEDS, FurtherSeeds, most_seconds
from grader.judge.grader import Grader
from grader.judge.session import Session
from grader.supervisor.budget import TimeBudget
from tests.harness.conftest import lent, long_unless
from tests.harness.results.example_grade import check

NUMBERS = itertools.count()  # Python caches test modules by name
NONCE = "the same"
PUBLIC = """
import pytest

@pytest.mark.exercise("storage_index")
def test_number(impl, seed):
    "A number comes back"
    assert len(bytes(impl.strides.storage_index(seed % 1000))) == seed % 1000

@pytest.mark.exercise("storage_index")
def test_seven(impl):
    "Seven comes back"
    assert impl.strides.storage_index(7) == 7
"""
HIDDEN = """
import pytest

@pytest.mark.exercise("storage_index")
def test_rule(impl, seed):
    "A number below zero comes back"
    assert impl.strides.storage_index(-1 - seed % 1000) == -1 - seed % 1000
"""
RIGHT = "def storage_index(x):\n    return x\n"
WRONG = "def storage_index(x):\n    return abs(x)\n"


class Course(SimpleNamespace):
    """A grader of one exercise, and the name of its public tests' file."""

    def number(self, nonce: str) -> int:
        """What the public test draws."""
        return seed_of(nonce, self.file, "test_number") % 1000

    def failing(self, seeds: set[int], otherwise: str = "return abs(x)", then: str = "return 0"):
        """Code that does something else on the numbers of these seeds."""
        numbers = {self.number(nonce_of(seed)) for seed in seeds}
        assert self.number(NONCE) not in numbers, "or the public test fails"
        return (
            "import os, time\n\ncalls = []\n\n\ndef storage_index(x):\n"
            f"    calls.append(x)\n    if x in {numbers}:\n        {then}\n    {otherwise}\n"
        )


@pytest.fixture
def course(grader, tmp_path_factory):
    usual = manifests.load()
    repository, file = tmp_path_factory.mktemp("repository"), f"test_again_{next(NUMBERS)}"
    for folder, text in (("public", PUBLIC), ("hidden", HIDDEN)):
        name = file if folder == "public" else f"{file}_hidden"
        (repository / "tests" / folder).mkdir(parents=True)
        (repository / "tests" / folder / f"{name}.py").write_text(text)
    manifest = msgspec.structs.replace(
        usual, exercise=tuple(e for e in usual if e.id == "storage_index")
    )
    with lent(grader, manifest=manifest, repository=repository, _lanes=1):
        yield Course(grader=grader, file=file)


@pytest.fixture
def grade(course, tmp_path):
    def run(text, **options):
        (tmp_path / "strides.py").write_text(text)
        options = {"nonce": NONCE, "further_seeds": True} | options
        found = course.grader.grade(tmp_path, **options)
        assert found.faults == ()
        return found

    return run


@pytest.mark.parametrize(
    ("then", "cause"),
    [
        ("return 0", Cause.WRONG_ANSWER),
        ("os._exit(3)", Cause.DIED),
        ("return 2**33", Cause.TOO_LARGE),  # what the judge spends is limited here, too
    ],
)
def test_a_further_seed_finds_a_mistake_that_public_tests_miss(course, grade, then, cause):
    text = course.failing({150, 60}, then=then)
    with_them, without = grade(text), grade(text, further_seeds=False)
    found = with_them.further
    assert [(f.exercise, f.title, f.seed, f.cause) for f in found.failures] == [
        ("storage_index", "A number comes back", 60, cause)
    ]
    assert found.runs == 60 + 1, "those before it, and one more in a fresh worker"
    assert found.fault == ""
    assert (with_them.score, with_them.verdicts) == (without.score, without.verdicts)
    assert [c.state for c in with_them.checks] == [c.state for c in without.checks]


def test_none_of_200_finds_it(grade):
    found = grade(WRONG).further
    assert (found.runs, found.failures, found.fault) == (200, (), "")
    assert len(SEEDS) == 200


@pytest.mark.parametrize(
    "then", long_unless(["while True: pass", "time.sleep(1000)"], "time.sleep(1000)")
)
def test_code_that_hangs_ends_them(course, grade, then):
    """It is no failure: at home the test may still pass within its limit"""
    found = grade(course.failing({3, 5}, then=then)).further
    assert (found.runs, found.failures, found.fault) == (3, (), "")
    limit = course.grader.manifest.exercise_seconds
    assert found.charged == pytest.approx(limit, abs=0.5)


def test_what_a_fresh_worker_does_not_repeat_is_no_failure(grade, monkeypatch):
    """Code that is wrong from its third call on in one process"""
    monkeypatch.setattr(further_seeds, "SEEDS", SEEDS[:8])
    text = "calls = []\n\n\ndef storage_index(x):\n    calls.append(x)\n"
    found = grade(f"{text}    return abs(x) + (len(calls) > 2)\n").further
    assert found.failures == ()
    assert found.fault == ""


def test_random_numbers_of_the_code_are_those_that_it_has_at_home(course, grade):
    """A seed that is named repeats the failure, where the code depends on a generator too"""
    is_wrong = f"x not in (7, {course.number(NONCE)}) and hash(random.getstate()[1]) % 50 == 0"
    text = f"import random\n\n\ndef storage_index(x):\n    return abs(x) + ({is_wrong})\n"
    (failure,) = grade(text).further.failures
    home = {}
    exec(text, home)
    for seed in SEEDS[: failure.seed]:
        seed_everything(seed_of(nonce_of(seed), course.file, "test_number"))
        number = course.number(nonce_of(seed))
        assert (home["storage_index"](number) == number) == (seed < failure.seed)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (RIGHT, {}),
        ("def storage_index(x):\n    return -1\n", {}),
        (WRONG, {"tests": "hidden"}),
        (WRONG, {"tests": "public"}),
        (WRONG, {"further_seeds": False}),
        ("raise ValueError\n", {}),
    ],
    ids=["all pass", "a public one fails", "only hidden", "only public", "off", "no import"],
)
def test_there_are_none_without_a_need(grade, text, options):
    assert grade(text, **options).further is None


def test_they_begin_when_all_tests_are_over_and_draw_nothing_from_the_nonce(
    course, grade, monkeypatch
):
    nonces = []
    run = Session.run

    def noted(self, test, context):
        nonces.append(context.nonce)
        return run(self, test, context)

    monkeypatch.setattr(Session, "run", noted)
    grade(course.failing({2}))
    # Two public tests, and a hidden one that fails, in a shared worker and in its own.
    assert nonces == [NONCE] * 4 + [nonce_of(seed) for seed in (1, 2, 2)]
    again = grade(course.failing({2}), nonce="another")
    assert [failure.seed for failure in again.further.failures] == [2]


def test_a_fault_in_them_is_no_fault_of_the_grading(course, grade, monkeypatch):
    def fails(seed):
        raise OSError("no room")

    monkeypatch.setattr(further_seeds, "nonce_of", fails)
    found = grade(WRONG)
    assert found.score == 0
    assert (found.further.failures, found.further.fault) == ((), "OSError: no room")


def test_a_zygote_that_dies_in_them_costs_no_mark(course, submit, monkeypatch):
    with Grader(
        manifest=course.grader.manifest, repository=course.grader.repository, lanes=1
    ) as grader:

        def kills(seed):
            if seed == 3:
                os.kill(grader.zygote._process.pid, signal.SIGKILL)
            return nonce_of(seed)

        monkeypatch.setattr(further_seeds, "nonce_of", kills)
        found = grader.grade(submit(strides=WRONG), nonce=NONCE, further_seeds=True)
    assert found.faults == ()
    assert found.score == 0
    assert found.further.failures == ()
    assert found.further.fault


def test_a_signal_ends_them(course, submit, monkeypatch):
    def stop(seed):
        raise signals.Stopped("SIGTERM")

    monkeypatch.setattr(further_seeds, "nonce_of", stop)
    with pytest.raises(signals.Stopped):
        course.grader.grade(submit(strides=WRONG), further_seeds=True)


# --- without workers ---------------------------------------------------------------------------


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


class Runs:
    """Stands in for a session: each run of a test ends as `ends` says for its seed."""

    def __init__(self, ends, seconds=0.0):
        self.ends, self.clock, self.seconds = ends, Clock(), seconds
        self.seen = []

    def __call__(self, test, context):
        self.seen.append((test.exercise.id, context.nonce))
        self.clock.now += self.seconds
        cause = self.ends.get(context.nonce)
        state = "failed" if cause else "passed"
        return SimpleNamespace(check=check(test.exercise.id, state, cause))

    def search(self, *exercises, exercise_seconds=2.0, budget=None):
        pool = SimpleNamespace(
            close=lambda: None,
            zygote=SimpleNamespace(drain=lambda: None, shared_folders=None),
            budget=budget or TimeBudget(1),
        )
        tests = {
            name: [SimpleNamespace(exercise=SimpleNamespace(id=name), group="")]
            for name in exercises
        }
        return FurtherSeeds(self, pool, exercise_seconds, self.clock).search(tests)


def test_the_time_of_the_judge_counts():
    """A second for each run: the second spends the 2 s"""
    runs = Runs({}, seconds=1.0)
    assert runs.search("a", "b").runs == 2 * 2


def test_many_exercises_share_20_seconds():
    assert most_seconds(3, 2.0) == 6
    assert most_seconds(40, 2.0) == 20
    runs = Runs({}, seconds=0.25)
    assert runs.search(*map(str, range(40))).runs == 40 * 2, "0.5 s for each"


def test_they_end_with_the_time_limit_of_the_grading():
    clock = Clock()
    budget = TimeBudget(100, time_limit=70, now=clock)
    clock.now = 71
    runs = Runs({nonce_of(1): Cause.TIMEOUT})
    assert runs.search("a", "b", budget=budget).failures == ()
    assert len(runs.seen) == 2


def test_bound_of_a_grading_counts_them_and_its_budget_does_not():
    def planned(further):
        budget = TimeBudget(100, time_limit=120, now=Clock())
        budget.plan([("a", "test_a::x", 10.0)], [], 2, further)
        return budget.record()

    without, with_them = planned(0.0), planned(20.0)
    assert with_them.bound == without.bound + 20
    assert with_them.seconds == without.seconds
