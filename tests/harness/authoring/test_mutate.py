"""`grader mutate`: which mutants are made, what identifies them, and the result of each."""

import ast
import copy
import itertools
import json
import textwrap

import msgspec
import pytest
from typer.testing import CliRunner

from assignment import manifest as manifests
from assignment.hooks import seed_of
from grader import cli
from grader.authoring.mutation import campaign, equivalents, plan
from grader.authoring.mutation.equivalents import Entry, Equivalents, EquivalentsError
from grader.authoring.mutation.mutants import diff, mutants_of, sampled
from grader.authoring.mutation.reach import Reach
from grader.authoring.mutation.verdicts import Killers, Trial, Verdict
from grader.judge.failure import GraderFault
from tests.harness.conftest import REPOSITORY

REFERENCE = REPOSITORY / "solutions" / "resource_accounting"


def changes(text, operator, module="m"):
    """The changed lines of the mutants that one operator makes, in order."""
    return [m.mutated for m in mutants_of(module, text).mutants if m.operator == operator]


def module_with_body(body):
    return f"def f(a, b, c, xs):\n{textwrap.indent(body, '    ')}\n"


# --- operators -----------------------------------------------------------------------------------

# Operator, a statement, and all mutants that the operator makes of it.
CASES = [
    ("arithmetic", "t = a + b", ["t = a - b"]),
    ("arithmetic", "t = a - b", ["t = a + b"]),
    ("arithmetic", "t = a * b", ["t = a / b", "t = a + b"]),
    ("arithmetic", "t = a / b", ["t = a * b", "t = a // b"]),
    ("arithmetic", "t = a // b", ["t = a / b", "t = a * b"]),
    ("arithmetic", "t = a % b", ["t = a // b", "t = a * b"]),
    ("arithmetic", "t = a ** b", ["t = a * b"]),
    ("arithmetic", "t = a @ b", ["t = a * b"]),
    ("arithmetic", "t = a << b", ["t = a >> b"]),
    ("arithmetic", "t = a & b", ["t = a | b"]),
    ("arithmetic", "t = c - a**b", ["t = c + a**b", "t = c - (a*b)"]),
    ("arithmetic", "t = (a + b) % c", ["t = (a + b) // c", "t = (a + b) * c", "t = (a - b) % c"]),
    ("arithmetic", "t = a - b - c", ["t = a - b + c", "t = a + b - c"]),
    ("arithmetic", "t = -a % b", ["t = -a // b", "t = -a * b"]),
    ("unary", "t = -a, ~b, not c", ["t = a, ~b, not c", "t = -a, b, not c", "t = -a, ~b, c"]),
    ("comparison", "t = a < b", ["t = a <= b", "t = a >= b"]),
    ("comparison", "t = a >= b", ["t = a > b", "t = a < b"]),
    ("comparison", "t = a == b", ["t = a != b"]),
    ("comparison", "t = a is not b", ["t = a is b"]),
    ("comparison", "t = a not in b", ["t = a in b"]),
    ("comparison", "t = a != (b)", ["t = a == (b)"]),
    (
        "comparison",
        "t = a <= b < c",
        ["t = a < b < c", "t = a > b < c", "t = a <= b <= c", "t = a <= b >= c"],
    ),
    ("boolean", "t = a and b", ["t = a or b", "t = a", "t = b"]),
    (
        "boolean",
        "t = a and (b or c)",
        [
            *("t = a or (b or c)", "t = a", "t = (b or c)"),
            *("t = a and (b and c)", "t = a and (b)", "t = a and (c)"),
        ],
    ),
    (
        "boolean",
        "t = a or b and c",
        [
            *("t = a and (b and c)", "t = a", "t = b and c"),
            *("t = a or (b or c)", "t = a or b", "t = a or c"),
        ],
    ),
    ("negation", "if a:\n    b()", ["if not a:"]),
    ("negation", "if a or b:\n    b()", ["if not (a or b):"]),
    ("negation", "if a < b:\n    b()", []),  # `comparison` makes this change
    ("negation", "if not a:\n    b()", []),  # `unary` makes this change
    ("negation", "if 0 < a < b:\n    b()", ["if not 0 < a < b:"]),
    ("negation", "while f(a):\n    b()", ["while not f(a):"]),
    ("negation", "t = a if b else c", ["t = a if not b else c"]),
    ("negation", "t = [x for x in xs if x]", ["t = [x for x in xs if not x]"]),
    ("ternary", "t = a if b else c", ["t = a", "t = c"]),
    ("filter", "t = [x for x in xs if x]", ["t = [x for x in xs]"]),
    (
        "number",
        "t = 0, 1, 255",
        [
            *("t = 1, 1, 255", "t = -1, 1, 255", "t = 0, 2, 255", "t = 0, 0, 255"),
            *("t = 0, 1, 256", "t = 0, 1, 254"),
        ],
    ),
    ("number", "t = 0.5, 0.0", ["t = 1.0, 0.0", "t = 0.25, 0.0", "t = 0.5, 1.0"]),
    ("string", "t = 'a', \"\"", ["t = 'XXa', \"\"", "t = 'a', \"XX\""]),
    ("string", "t = f'a{b}c'", ["t = f'XXa{b}c'", "t = f'a{b}XXc'"]),
    ("literal", "t = True, False", ["t = False, False", "t = True, True"]),
    ("literal", "t = g(None)", ["t = g(0)"]),
    ("literal", "t = a is None", []),
    ("literal", "t = zip(a, strict=True)", []),  # like an assertion
    ("argument", "t = g(a, b, k=c)", ["t = g(b, k=c)", "t = g(a, k=c)", "t = g(a, b)"]),
    ("argument", "t = len(a)", []),  # it would always fail
    ("argument", "t = min(a, b), min(a)", ["t = min(b), min(a)", "t = min(a), min(a)"]),
    ("argument", "t = sum(a, b)", ["t = sum(b)", "t = sum(a)"]),
    ("argument", "t = int(a)", ["t = int()"]),
    ("argument", "t = f(a, b, c, xs)", []),
    (
        "argument",
        "t = zip(a, b, strict=True)",
        ["t = zip(b, strict=True)", "t = zip(a, strict=True)"],
    ),
    ("swap", "t = g(a, b, c, k=1)", ["t = g(b, a, c, k=1)", "t = g(a, c, b, k=1)"]),
    ("swap", "t = g(a, *b), min(a, b)", []),
    ("call", "t = min(a), any(b)", ["t = max(a), any(b)", "t = min(a), all(b)"]),
    ("call", "t = sum(a)", ["t = max(a)"]),
    ("call", "t = int(a)", ["t = a"]),
    ("call", "t = reversed(a)", ["t = a"]),
    ("call", "t = a.sqrt().add_(b)", ["t = a.sqrt()", "t = a.add_(b)"]),
    ("call", "t = a.min()", ["t = a.max()", "t = a"]),
    ("call", "a.add_(b)", []),  # `statement` makes this change
    ("slice", "t = a[b:c]", ["t = a[:c]", "t = a[b:]"]),
    ("slice", "t = a[::2]", ["t = a[::]"]),
    ("element", "t = [a, b, c]", ["t = [b, c]", "t = [a, c]", "t = [a, b]"]),
    ("element", "t = {'a': b, 'c': 1}", ["t = {'c': 1}", "t = {'a': b}"]),
    ("element", "t = {a, b}", ["t = {b}", "t = {a}"]),
    ("element", "t = a, b", []),
    ("element", "for x in (a, b):\n    c()", ["for x in (b,):", "for x in (a,):"]),
    ("element", "t = c in (a, b)", ["t = c in (b,)", "t = c in (a,)"]),
    ("lambda", "t = lambda: a", ["t = lambda: None"]),
    ("augmented", "a += b", ["a -= b", "a = b"]),
    ("augmented", "a *= b", ["a /= b", "a += b", "a = b"]),
    ("return", "return b", ["return None"]),
    ("return", "return None", []),
    ("return", "yield b", ["yield None"]),
    ("statement", "g(a)", ["pass"]),
    ("statement", "t = 1", []),  # a new name: nothing would run without it
    ("statement", "a = 1", ["pass"]),
    ("statement", "t, u = 1, 2\nt, u = u, t", ["pass"]),
    ("statement", "a.x = a[b] = c", ["pass"]),
    ("statement", "a += 1", ["pass"]),
    ("statement", "del a[b]", ["pass"]),
    ("statement", "if a:\n    return b", ["pass"]),
    ("statement", "if a:\n    raise ValueError(f'no {b}')", ["pass"]),
    ("loop", "for x in xs:\n    if x:\n        break", ["continue"]),
    ("loop", "for x in xs:\n    if x:\n        continue\n    g()", ["break"]),
    ("raise", "raise ValueError(f'not {a + 1}')", ["raise RuntimeError(f'not {a + 1}')"]),
    ("raise", "raise RuntimeError", ["raise ValueError"]),
    ("handler", "try:\n    g()\nexcept KeyError as e:\n    h(e)", ["except () as e:"]),
    ("context", "with g(a):\n    h()", ["if True:"]),
    ("context", "with g(a), h(b) as c:\n    c()", ["with h(b) as c:"]),
    ("context", "with g(a) as c:\n    c()", []),
]


@pytest.mark.parametrize(("operator", "body", "expected"), CASES)
def test_operator_makes_exactly_these_changes(operator, body, expected):
    assert changes(module_with_body(body), operator) == expected


def test_decorator_is_removed():
    assert changes("@a\n@b(1)\ndef f():\n    g()\n", "decorator") == ["", ""]


def test_defaults_and_constants_are_mutated():
    text = "WIDTH = 8\n\ndef f(a=1, *, b: int | None = None):\n    return a * WIDTH\n"
    made = mutants_of("m", text).mutants
    assert [m.mutated for m in made if m.function == "WIDTH"] == ["WIDTH = 9", "WIDTH = 7"]
    assert {m.mutated for m in made if m.line == 3} == {
        f"def f(a={a}, *, b: int | None = {b}):" for a, b in [(2, None), (0, None), (1, 0)]
    }


LEFT_ALONE = '''
"""A module with 1 docstring."""

from __future__ import annotations

import os
from math import prod as product
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from x import Y

__all__ = ["f"]
Shape = tuple[int, ...]
Nested = dict[str, Shape] | None


class C:
    """Its docstring."""

    def __init__(self, a: "int | str") -> None:
        """Its docstring."""
        b: Nested
        assert a > 1, "holds anyway"
        if a:
            raise ValueError(f"expected {a + 1} or " + str(a - 2))


def f(shape: Shape) -> tuple[int, int]:
    """Its docstring, and 2 numbers."""
    return cast("tuple[int, int]", shape)


def later(x: int = 1) -> int:
    """Its docstring."""
    raise NotImplementedError
'''


def test_some_code_is_never_mutated():
    """Docstrings, annotations, aliases, imports, messages, assertions, placeholders"""
    made = mutants_of("m", LEFT_ALONE)
    assert [(m.operator, m.mutated.strip()) for m in made.mutants] == [
        ("negation", "if not a:"),
        ("statement", "pass"),
        ("raise", 'raise RuntimeError(f"expected {a + 1} or " + str(a - 2))'),
        ("return", "return None"),
    ]
    assert made.placeholders == ("later",)


def test_mutants_of_the_reference_compile_and_differ():
    """From the reference and from each other, by their syntax trees; each has its own id"""
    text = (REFERENCE / "checkpoint.py").read_text()
    made = mutants_of("checkpoint", text).mutants
    trees = {ast.dump(ast.parse(m.text)) for m in made}
    assert len(trees) == len({m.id for m in made}) == len(made)
    assert ast.dump(ast.parse(text)) not in trees


# --- what identifies a mutant --------------------------------------------------------------------

TWICE = "def f(a):\n    g(a + 1)\n    h(a + 1)\n    h(a + 1)\n"


def test_id_survives_edits_of_other_lines():
    """New lines above, new functions, other indentation: the mutant stays the same"""
    edited = f'"""Doc."""\n\ndef new(a):\n    h(a + 1)\n\n\n{TWICE}\n\nLAST = 1\n'
    before = {m.id: m.text for m in mutants_of("m", TWICE).mutants}
    after = {m.id: m.text for m in mutants_of("m", edited).mutants}
    assert before.keys() <= after.keys()
    assert all(before[i].splitlines() == after[i].splitlines()[6:-3] for i in before)


def test_same_change_in_another_place_has_another_id():
    found = [m for m in mutants_of("m", TWICE).mutants if m.mutated == "h(a - 1)"]
    assert [(m.line, m.occurrence) for m in found] == [(3, 1), (4, 2)]
    assert found[0].id != found[1].id != mutants_of("n", TWICE).mutants[0].id


def test_sample_depends_on_the_seed_and_survives_edits():
    made = list(mutants_of("flops", (REFERENCE / "flops.py").read_text()).mutants)
    one = sampled(made, 20, seed=1)
    assert len(one) == 20
    assert [m.line for m in one] == sorted(m.line for m in one)
    assert sampled(made, 20, seed=1) == one != sampled(made, 20, seed=2)
    assert set(one) - {one[0]} <= set(sampled([m for m in made if m != one[0]], 20, seed=1))
    assert sampled(made, 10**6, seed=1) == made


def test_diff_names_file_and_lines():
    (mutant, *_) = mutants_of("m", TWICE).mutants
    lines = diff(TWICE, mutant, "solutions/m.py")
    assert lines[:2] == ["--- solutions/m.py", "+++ solutions/m.py"]
    assert [line for line in lines[2:] if line[0] in "-+"] == ["-    g(a + 1)", "+    pass"]


# --- the list of equivalents ---------------------------------------------------------------------


def entry(mutant, **changes):
    names = ("module", "function", "original", "mutated", "occurrence")
    return Entry(**{**{n: getattr(mutant, n) for n in names}, "reason": "so it is", **changes})


def test_entry_matches_only_its_mutant():
    made = mutants_of("m", TWICE).mutants
    listed = Equivalents([entry(made[-1])])
    assert [m for m in made if listed.reason(m)] == [made[-1]]
    assert listed.unmatched(made, ["m"]) == []


def test_entry_without_a_mutant_is_found_in_checked_modules():
    made = mutants_of("m", TWICE).mutants
    wrong = entry(made[0], original="something else")
    listed = Equivalents([wrong, entry(made[1])])
    assert listed.unmatched(made, ["m"]) == [wrong]
    assert listed.unmatched([], ["another"]) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mutant = 1", "array"),
        ("[[mutant]]\nmodule = 'm'", "function"),
        ("[[mutant]]\nmodule='m'\nfunction='f'\noriginal='a'\nmutated='b'\nreason=' '", "reason"),
        ("[[mutant]]\nmodule='m'\nfunction='f'\noriginal='a'\nmutated='b'\nwhy='c'", "why|reason"),
        (
            2 * "[[mutant]]\nmodule='m'\nfunction='f'\noriginal='a'\nmutated='b'\nreason='c'\n",
            "twi",
        ),
        ("[[mutant", "list.toml"),
    ],
)
def test_invalid_list_is_refused(tmp_path, text, message):
    (tmp_path / "list.toml").write_text(text)
    with pytest.raises(EquivalentsError, match=message) as caught:
        equivalents.load(tmp_path / "list.toml")
    assert "list.toml" in str(caught.value)


def test_every_entry_of_the_repository_matches_a_mutant():
    """No entry is left over"""
    assert plan.make(plan.own_assignment()).unmatched == ()


# --- which tests are tried -


def test_reach_follows_helpers_constants_and_siblings():
    texts = {
        "low": "N = 1\ndef helper(): return N\ndef used(): return helper()\ndef alone(): ...\n",
        "high": "from . import low\nfrom .low import used as u\ndef top(): return u()\n"
        "def all_of_it(): return low.used()\n",
    }
    manifest = toy_manifest(a=["high.top"], b=["low.used"], c=["low.alone"], d=["high.all_of_it"])
    reach = Reach(texts, manifest)
    assert reach.exercises("low", "used") == ("b", "a", "d")
    assert reach.exercises("low", "N") == ("b", "a", "d")
    assert reach.exercises("low", "alone") == ("c", "d")
    assert reach.exercises("high", "top") == ("a",)
    assert reach.exercises("high", "nowhere") == ()
    assert set(reach.exercises("low", "<module>")) == {"a", "b", "c", "d"}
    assert ("low", "helper") in reach.owned(manifest["b"])
    assert ("low", "used") not in reach.owned(manifest["a"])


def test_latest_killer_comes_first():
    (mutant, *_) = mutants_of("m", TWICE).mutants
    killers = Killers()
    for test in ("one", "two", "one", "three"):
        killers.add(mutant, test)
    tests = ["zero", "one", "two", "three"]
    ranked = sorted(tests, key=lambda test: killers.rank(mutant, test))
    assert ranked == ["three", "one", "two", "zero"]


# --- a campaign, from end to end -----------------------------------------------------------------

TOY = """
import os

def strong(a, b):
    if a < 0:
        raise ValueError("no")
    return a - b

def weak(a):
    return max(a, 0)

def endless(n):
    while n > 0:
        n -= 1
    return n

def deadly(a):
    if not a:
        os._exit(1)
    return a

def flaky(a):
    return a + 1

def listed(a):
    return -a

def untested(a):
    return a + 1

def raced(a):
    return a + 1

def placeholder(a):
    raise NotImplementedError
"""

# The body of each exercise's test; `SECOND` is the seed that the second nonce gives the test.
TESTS = {
    "strong": """
    for a, b in rng.integers(2, 9, (5, 2)).tolist() + [[0, 1], [1, 1]]:
        assert impl.toy.strong(a, b) == a - b
    with pytest.raises(ValueError):
        impl.toy.strong(-1, 1)
""",
    "weak": "    assert impl.toy.weak(3) == 3\n",
    "endless": "    assert impl.toy.endless(1) == 0\n",
    "deadly": "    assert impl.toy.deadly(3) == 3\n",
    "flaky": "    assert impl.toy.flaky(1) == 2 or seed != SECOND\n",
    "listed": "    assert abs(impl.toy.listed(2)) == 2\n",
    "raced": "    assert impl.toy.raced(2) == 3\n",
}
LITTLE = manifests.LimitOverrides(seconds=0.7)


def toy_manifest(**functions):
    """Exercises with a short time limit, by their functions; "raced" needs a device."""
    made = [
        manifests.Exercise(
            *(e, e, "toy", tuple(names), 1, "no"),
            limits=LITTLE,
            needs=("cuda",) if e == "raced" else (),
        )
        for e, names in functions.items()
    ]
    return msgspec.structs.replace(manifests.load(), package="toy_package", exercise=tuple(made))


@pytest.fixture
def toy(tmp_path):
    """A reference of one module, tests for most of its functions, no list of equivalents."""
    (tmp_path / "solutions" / "toy_package").mkdir(parents=True)
    (tmp_path / "solutions" / "toy_package" / "toy.py").write_text(TOY)
    (tmp_path / "tests" / "hidden").mkdir(parents=True)
    text = f"import pytest\nSECOND = {seed_of('mutation 0 1', 'test_toy', 'test_flaky')}\n"
    for name, body in TESTS.items():
        text += f"@pytest.mark.exercise('{name}')\ndef test_{name}(impl, rng, seed):\n{body}\n"
    (tmp_path / "tests" / "hidden" / "test_toy.py").write_text(text)
    names = [*TESTS, "untested", "placeholder"]
    return plan.Assignment(
        reference=tmp_path / "solutions",
        repository=tmp_path,
        manifest=toy_manifest(**{name: [f"toy.{name}"] for name in names}),
        equivalents=tmp_path / "list.toml",
    )


def mutate(*arguments):
    return CliRunner().invoke(cli.build_app(), ["mutate", *map(str, arguments)])


def test_campaign_finds_what_tests_miss(toy, tmp_path, monkeypatch):
    """Through the command, in a separate process with its own judge"""
    monkeypatch.setattr(plan, "own_assignment", lambda: toy)
    toy.equivalents.write_text(
        "[[mutant]]\nmodule = 'toy'\nfunction = 'listed'\noriginal = 'return -a'\n"
        "mutated = 'return a'\nreason = 'the test takes the magnitude'\n"
        "[[mutant]]\nmodule = 'toy'\nfunction = 'listed'\noriginal = 'return -a'\n"
        "mutated = 'return None'\nreason = 'it is none'\n"
        "[[mutant]]\nmodule = 'toy'\nfunction = 'gone'\noriginal = 'a'\n"
        "mutated = 'b'\nreason = 'it is gone'\n"
    )
    result = mutate("--jobs", 1, "--json", tmp_path / "record.json")
    assert result.exit_code == 1, result.output
    record = json.loads((tmp_path / "record.json").read_bytes())
    assert record["faults"] == record["problems"] == []
    of = {}
    for mutant in record["mutants"]:
        of.setdefault(mutant["function"], {})[mutant["mutated"]] = mutant["status"]

    assert set(of["strong"].values()) == {"killed"}
    assert of["weak"] == {
        "return None": "killed",
        "return max(0)": "killed",
        "return max(a)": "killed",
        "return min(a, 0)": "killed",
        "return max(a, 1)": "survived",
        "return max(a, -1)": "survived",
    }
    assert of["endless"]["n += 1"] == of["endless"]["pass"] == "timed out"
    assert of["deadly"]["if a:"] == "killed"
    assert of["flaky"] == {
        **dict.fromkeys(["return a - 1", "return a + 2", "return a + 0"], "killed"),
        "return None": "killed",
    }
    assert set(of["untested"].values()) == {"untested"}
    assert record["placeholders"] == ["toy.placeholder"]
    assert set(of["raced"].values()) == {"killed"}

    assert [m["function"] for m in record["mutants"] if m["equivalent"]] == ["listed"] * 2
    assert len(record["stale"]) == 2
    assert "gone" in record["stale"][0]
    assert "return None" in record["stale"][1]
    total = record["total"]
    assert total["mutants"] == sum(map(len, of.values()))
    assert total["equivalent"] == 1
    killed = total["killed"] + total["timed out"]
    assert total["survived"] == total["mutants"] - killed - 1
    assert total["share"] == round(100 * killed / total["mutants"], 2)

    said = result.output
    assert "solutions/toy_package/toy.py:10  weak: survived" in said
    assert "-    return max(a, 0)\n+    return max(a, 1)\n" in said
    assert "toy.untested: no hidden test is for it" in said
    assert "not written yet, so without mutants: toy.placeholder" in said
    assert "killed by 1 of 3 nonces only" in said


@pytest.fixture
def try_mutants_of(toy, grader):
    """Tries the mutants of a toy function in this process, with a started grader."""
    from grader.authoring.mutation import trials

    here = copy.copy(grader)
    here.manifest, here.repository = toy.manifest, toy.repository

    def run(function, meanwhile=lambda: None):
        planned = plan.make(toy, exercises=[function])
        base = trials.baseline(here, toy.reference, [function], planned.nonces[0])
        meanwhile()
        batch = [Trial(m, planned.exercises(m)) for m in planned.chosen]
        return trials.run(here, toy.reference, batch, base, planned.nonces, Killers())

    return run


@pytest.mark.parametrize("lasting", [False, True])
def test_fault_of_the_grader_is_retried_and_never_a_kill(try_mutants_of, monkeypatch, lasting):
    from grader.judge.implementation import GradedImplementation

    calls = itertools.count()
    call = GradedImplementation.call

    def fail(self, *arguments, **options):
        if not next(calls) or lasting:
            raise GraderFault("the disk is on fire")
        return call(self, *arguments, **options)

    found = try_mutants_of(
        "strong", lambda: monkeypatch.setattr(GradedImplementation, "call", fail)
    )
    assert len(found) > 1
    if lasting:
        assert {v.status for v in found} == {"fault"}
        assert all("the disk is on fire" in v.detail for v in found)
        assert next(calls) == 2 * len(found)
    else:
        assert {v.status for v in found} == {"killed"}


def test_reference_that_does_not_pass_is_reported(toy, grader):
    """Its mutants have no result then"""
    from grader.authoring.mutation import trials

    path = toy.reference / "toy_package" / "toy.py"
    path.write_text(path.read_text().replace("return a - b", "return a + b"))
    here = copy.copy(grader)
    here.manifest, here.repository = toy.manifest, toy.repository
    base = trials.baseline(here, toy.reference, ["strong", "weak"], "nonce")
    assert len(base.problems) == 1
    assert "test_strong failed: wrong_answer" in base.problems[0]
    assert base.exercises == {"strong", "weak"}


# --- the command ---------------------------------------------------------------------------------


def invoke(monkeypatch, toy, statuses, *options, problems=(), faults=()):
    """Runs the command with a fake campaign that gives these verdicts."""
    monkeypatch.setattr(plan, "own_assignment", lambda: toy)

    def run(assignment, planned, jobs, on_verdict):
        outcome = campaign.Outcome(planned, problems=[*problems], faults=[*faults])
        for mutant, status in zip(planned.chosen, itertools.cycle(statuses), strict=False):
            outcome.verdicts.append(Verdict(mutant, status, noticed=(True,)))
            on_verdict(outcome.verdicts[-1])
        return outcome

    monkeypatch.setattr(campaign, "run", run)
    return mutate(*options)


@pytest.mark.parametrize(
    ("statuses", "options", "status"),
    [
        (["killed", "timed out"], [], 0),
        (["survived", *["killed"] * 99], [], 1),
        (["untested", *["killed"] * 99], [], 1),
        (["killed", "fault"], [], 3),
        (["killed"], ["nowhere"], 2),
        (["killed"], ["--exercise", "nowhere"], 2),
        (["killed"], ["--sample", "0"], 2),
        (["killed"], ["toy", "--sample", "3", "--exercise", "weak"], 0),
    ],
)
def test_exit_status(toy, monkeypatch, statuses, options, status):
    faults = ["toy.py:1: no worker"] * ("fault" in statuses)
    result = invoke(monkeypatch, toy, statuses, *options, faults=faults)
    assert result.exit_code == status, result.output
    assert "Traceback" not in result.output


def test_reference_that_does_not_pass_exits_1(toy, monkeypatch):
    result = invoke(monkeypatch, toy, [], problems=["toy: the reference itself does not pass"])
    assert result.exit_code == 1
    assert "the reference itself does not pass" in result.output


def test_list_that_cannot_be_read_exits_2(toy, monkeypatch):
    toy.equivalents.write_text("[[mutant]]")
    result = invoke(monkeypatch, toy, ["killed"])
    assert result.exit_code == 2
    assert "list.toml" in result.output


def test_share_counts_equivalents_as_not_killed(toy, monkeypatch):
    """A long list of equivalents cannot hide a low share"""
    made = plan.make(toy).chosen
    text = "".join(
        f"[[mutant]]\nmodule={m.module!r}\nfunction={m.function!r}\noriginal={m.original!r}\n"
        f"mutated={m.mutated!r}\noccurrence={m.occurrence}\nreason='so it is'\n"
        for m in made[::10]
    ).replace("\\'", "'")
    toy.equivalents.write_text(text)
    statuses = ["survived", *["killed"] * 9]
    assert invoke(monkeypatch, toy, statuses, "--at-least", 85).exit_code == 0
    result = invoke(monkeypatch, toy, statuses)
    assert result.exit_code == 1
    assert "95 % are required" in result.output
    result = invoke(monkeypatch, toy, ["killed"])
    assert result.exit_code == 1
    assert result.output.count("stale") == len(made[::10])


def test_modules_and_exercises_choose_mutants(toy):
    everyone = plan.make(toy).chosen
    assert plan.make(toy, ["toy"]).chosen == everyone
    weak = plan.make(toy, exercises=["weak"]).chosen
    assert weak == tuple(m for m in everyone if m.function == "weak") != ()
    assert set(plan.make(toy, sample=5, seed=3).chosen) < set(everyone)
