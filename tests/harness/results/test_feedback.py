"""What a student sees of a hidden test depends only on (test, state, cause, exception).

Of a public test that fails with a further seed, after the hidden ones, it depends on (test, seed).

This is tested first on records, then with workers that give arbitrary answers. `anonymous` removes
everything that a student must not see. Other things may differ between gradings and be seen:

- public checks, and the reports of imports: no hidden test has started by then;
- the names of the submission and of files left out, the tier, the version, when it was graded.

No output says how long the grading took. Whoever waits can measure that. It reveals a few bits,
fewer than the states of the hidden tests, which code that knows its test can choose.
"""

from __future__ import annotations

import builtins
import signal
from collections.abc import Iterator

import msgspec
import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from grader.causes import Cause
from grader.results import student
from grader.results.record import Check, FurtherFailure, FurtherRuns, Grade, Isolation
from grader.results.student import FurtherView
from grader.wire import frames
from grader.wire.claims import CAUSES
from tests.harness.conftest import NAMED
from tests.harness.results.example_grade import STUDENT_OUTPUTS, exercise
from tests.harness.results.example_grade import grade as example
from tests.harness.results.fake_workers import CANARY, HIDDEN, Behaviour, FakeZygote, Reply

PARAMETER = "size-1023"  # a parameter in the name of a hidden test
PUBLIC = "public-9d07"  # only workers of public tests send it
EXCEPTIONS = sorted(
    name
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, BaseException)
)


def deterministic(examples: int) -> settings:
    """Settings with the same examples in each run."""
    return settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],  # no shrinking: rendering is too slow for that
        suppress_health_check=list(HealthCheck),
    )


def rendered(grade: Grade) -> dict[str, str]:
    """All outputs that a student may read, by name."""
    return {
        name: render(grade)
        for name, render in STUDENT_OUTPUTS.items()
        if grade.score is not None or name != "results.json"
    }


def anonymous(grade: Grade) -> Grade:
    """The grade without anything about hidden tests that a student must not see."""
    return msgspec.structs.replace(
        grade,
        nonce="",
        isolation=Isolation(tier=grade.isolation.tier, probes={}),
        faults=("",) * len(grade.faults),
        seconds=0.0,
        checks=tuple(
            check
            if check.visibility == "public"
            else Check(
                exercise=check.exercise,
                test=check.test.partition("[")[0],
                title=check.title,
                state=check.state,
                points=check.points,
                max_points=check.max_points,
                cause=check.cause,
                exception=check.exception if check.exception in NAMED else None,
                waits_for=check.waits_for,
            )
            for check in grade.checks
        ),
        further=FurtherRuns(
            runs=0,
            charged=0.0,
            failures=tuple(
                FurtherFailure(exercise=f.exercise, test="", title=f.title, seed=f.seed)
                for f in (grade.further.failures if grade.further else ())
            ),
        ),
    )


def assert_nothing_revealed(grade: Grade) -> None:
    """Asserts that the outputs are those of the anonymous grade, without canary and parameter."""
    shown, allowed = rendered(grade), rendered(anonymous(grade))
    assert shown.keys() == allowed.keys()
    for output, text in shown.items():
        lines = zip(text.split("\n"), allowed[output].split("\n"), strict=False)
        assert text == allowed[output], (
            output,
            next((pair for pair in lines if len({*pair}) > 1), ""),
        )
        assert CANARY not in text, output
        assert PARAMETER not in text, output


# --- records -----------------------------------------------------------------------------------


words = st.text(max_size=40) | st.sampled_from(
    [f"\x1b[31m{CANARY}", f"]]><b>{CANARY}</b>", f"[red]{CANARY}[/red] {{{{ 7*7 }}}}", CANARY * 900]
)
seconds = st.floats(0, 99)


@st.composite
def grades(draw: st.DrawFn) -> Grade:
    """Any grade of three exercises, even one that no grading can give."""
    ids = ("first", "second", "third")
    hidden = st.builds(
        "test_{}::test_{}{}".format,
        st.sampled_from(ids),
        st.sampled_from(["rule", "shape"]),
        st.sampled_from(["", f"[{CANARY}]", f"[a::{CANARY}-[1]]", f"[{PARAMETER}]"]),
    )
    both = {"exercise": st.sampled_from(ids), "detail": st.none() | words, "seconds": seconds}
    checks = st.builds(
        Check,
        test=hidden,
        title=st.sampled_from(["A rule", "Another rule"]),
        state=st.sampled_from(["passed", "failed", "not_run"]),
        points=st.sampled_from([0.0, 1.0]),
        max_points=st.just(1.0),
        cause=st.none() | st.sampled_from(Cause) | st.just(Cause.EXCEPTION),
        exception=st.none() | words | st.sampled_from(EXCEPTIONS),
        shown=st.none() | words,  # None for a hidden check; anything else must not be shown
        visibility=st.just("hidden"),
        **both,
    )
    public = st.builds(
        Check,
        test=st.just("test_public::test_rule"),
        title=st.just("A public rule"),
        state=st.sampled_from(["passed", "failed"]),
        points=st.just(0.0),
        max_points=st.just(0.0),
        shown=st.none() | st.just(PUBLIC),
        visibility=st.just("public"),
        **both,
    )
    failure = st.builds(
        FurtherFailure,
        exercise=st.sampled_from(ids),
        test=st.just(f"test_public::test_rule[{CANARY}]"),
        title=st.just("A public rule"),
        seed=st.integers(1, 200),
        cause=st.none() | st.sampled_from(Cause),
        detail=st.none() | words,
    )
    further = st.builds(
        FurtherRuns,
        runs=st.integers(0, 200),
        charged=seconds,
        failures=st.lists(failure, max_size=2).map(tuple),
        fault=words,
    )
    measured = draw(st.booleans())
    return example(
        score=draw(st.none() | st.just(2.5)),
        isolation=Isolation(
            tier=draw(st.sampled_from(["A", "none"])), probes={"read": draw(words)}
        ),
        nonce=draw(words),
        checks=tuple(draw(st.lists(checks | public, max_size=8))),
        exercises=tuple(
            exercise(name, 1.0, 3.0, measured=measured or name != "third") for name in ids
        ),
        faults=tuple(draw(st.lists(words, max_size=2))),
        seconds=draw(seconds),
        further=draw(st.none() | further),
    )


@deterministic(30)
@given(grades())
def test_outputs_are_those_of_the_anonymous_grade(grade):
    assert_nothing_revealed(grade)


# --- workers that give arbitrary answers -------------------------------------------------------


@pytest.fixture(scope="module")
def fake_zygote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FakeZygote]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        yield FakeZygote(tmp_path_factory.mktemp("fake_zygote"), monkeypatch)


canaries = st.sampled_from(
    [
        CANARY,
        f"\x1b]0;{CANARY}\x07\x1b[31m{CANARY}",
        f"</pre><script>{CANARY}</script>]]>",
        f"[bold]{CANARY}[/bold] {{{{ {CANARY} }}}} %s",
        f"test_{CANARY}::test_{CANARY}[1]",
        "\n" * 30 + CANARY * 1000,
        f"\u202e{CANARY}\x00\ufffe",
        f"{CANARY}Error",
    ]
)
texts = canaries | st.text(max_size=20)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.just(6)
    | st.integers(-(2**500), 2**500)
    | st.floats()
    | texts
    | st.binary(max_size=20)
    | st.sampled_from([b"", CANARY.encode(), torch.float32, np.dtype("int8")])
    | st.sampled_from(
        [
            torch.ones(2),
            torch.full((2,), float("nan")),
            torch.zeros(0, 5),
            torch.tensor(list(CANARY.encode()), dtype=torch.uint8),
            torch.ones(3, dtype=torch.bfloat16).to(torch.float8_e5m2),
            np.array([6]),
            np.frombuffer(CANARY.encode(), dtype=np.uint8),
        ]
    ),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(texts | st.just("key") | st.integers(0, 3), inner, max_size=3)
    ),
    max_leaves=6,
)
reported = dict.fromkeys(("type", "message", "trace"), canaries)
raised = st.fixed_dictionaries(
    {
        "failed": st.just("exception"),
        "exception": st.sampled_from(EXCEPTIONS) | canaries,
        **reported,
    }
)
failures = st.fixed_dictionaries({"failed": st.sampled_from(list(CAUSES)), **reported})
odd = st.fixed_dictionaries(
    {"failed": st.just("exception") | values},
    optional=dict.fromkeys(("exception", "type", "message", "trace", "line", CANARY), values),
)
results = st.fixed_dictionaries({"result": st.just(6) | texts | values})
answers = st.one_of(results, results, raised, raised, failures, odd, values)
replies = st.one_of(
    *[st.builds(Reply, answers)] * 6,
    st.builds(Reply, answers, number=st.sampled_from([-1, 1, 2**63])),
    st.builds(Reply, answers, afterwards=st.sampled_from(["ends", "sends twice", "sends nothing"])),
    st.builds(
        Reply,
        raw=st.binary(max_size=60)
        | st.just(frames.HEADER.pack(frames.MAGIC, 1, 2**40) + CANARY.encode())
        | st.just(frames.HEADER.pack(frames.MAGIC, 1, 9) + CANARY.encode()),
        afterwards=st.sampled_from(["ends", "waits"]),
    ),
)
behaviours = st.builds(
    Behaviour,
    replies=st.lists(replies, min_size=1, max_size=3).map(tuple),
    printed=st.just(b"") | texts.map(str.encode),
    status=st.sampled_from([0, signal.SIGKILL, signal.SIGSEGV, 77, 3 << 8]),
)
hidden_behaviours = st.fixed_dictionaries(dict.fromkeys(HIDDEN, behaviours))
HONEST, WRONG = (Behaviour((Reply({"result": number}),)) for number in (6, 7))


@pytest.mark.filterwarnings("ignore:ComplexHalf")
@pytest.mark.filterwarnings("ignore:Generating overly large repr")  # it would hide the failure
@deterministic(8)
@given(hidden=hidden_behaviours)
def test_hidden_tests_reveal_nothing_that_a_worker_sends(fake_zygote, hidden):
    grade = fake_zygote.grade({"public": HONEST, **hidden})
    assert grade.faults == (), "no answer of a worker is a grader fault"
    assert {c.exception for c in grade.checks} <= {None, *EXCEPTIONS}
    assert len(grade.checks) == len(HIDDEN) + 2
    assert_nothing_revealed(grade)


@pytest.mark.filterwarnings("ignore:ComplexHalf")
@pytest.mark.filterwarnings("ignore:Generating overly large repr")
@deterministic(8)
@given(further=behaviours)
def test_public_tests_with_further_seeds_reveal_nothing_that_a_worker_sends(fake_zygote, further):
    """Their workers run after the hidden tests, whose inputs may have left traces"""
    all_wrong = {"public": HONEST, **dict.fromkeys(HIDDEN, WRONG), "further": further}
    grade = fake_zygote.grade(all_wrong, further_seeds=True)
    assert grade.faults == ()
    assert grade.score == 3.25
    assert grade.further.runs > 0
    assert_nothing_revealed(grade)


def test_messages_of_public_tests_are_shown(fake_zygote):
    """A test of the test above: the canary of a public test takes the same path, and is shown."""
    reply = Reply({"failed": "exception", "exception": "KeyError", "message": PUBLIC})
    grade = fake_zygote.grade({"public": Behaviour((reply,)), **dict.fromkeys(HIDDEN, HONEST)})
    assert all(PUBLIC in text for text in rendered(grade).values())


@pytest.mark.parametrize(
    ("tests", "view", "leaks"),
    [
        (HIDDEN, "_detail", lambda check: student.clean(check.detail or "")),
        (("further",), "_further", lambda failure: FurtherView(failure.detail or "", "")),
    ],
    ids=["hidden", "further"],
)
def test_leaked_detail_is_noticed(fake_zygote, monkeypatch, tests, view, leaks):
    """A test of the tests above: a view that tells the message fails them"""
    reply = Reply({"failed": "exception", "exception": "KeyError", "message": CANARY})
    all_wrong = {"public": HONEST, **dict.fromkeys(HIDDEN, WRONG)}
    says = dict.fromkeys(tests, Behaviour((reply,)))
    grade = fake_zygote.grade(all_wrong | says, further_seeds="further" in tests)
    assert CANARY in str(grade), "staff read it"
    assert "further" not in tests or all("SEED=1" in text for text in rendered(grade).values())
    assert_nothing_revealed(grade)
    monkeypatch.setattr(student, view, leaks)
    with pytest.raises(AssertionError, match=r"results\.json"):
        assert_nothing_revealed(grade)
