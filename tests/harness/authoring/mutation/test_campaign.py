"""`grader author mutate` from end to end: what a campaign finds, and its exit status."""

import itertools
import json
import pickle
from concurrent.futures import Future
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from grader import cli
from grader.authoring.mutation import campaign, plan, trials
from grader.authoring.mutation.verdicts import Killers, Trial, Verdict
from grader.faults import GraderFault
from grader.judge.implementation import GradedImplementation
from tests.harness.conftest import lent, long_unless


def mutate(*arguments):
    return CliRunner().invoke(cli.build_app(), ["author", "mutate", *map(str, arguments)])


@contextmanager
def engine_of_this_process(start, _jobs):
    """Without a process that imports torch; what goes there and back is pickled all the same."""

    def sent(value):
        return pickle.loads(pickle.dumps(value))

    with sent(start)() as grader:

        def submit(*call):
            work, *arguments = sent(call)
            (done := Future()).set_result(sent(work(grader, *arguments)))
            return done

        yield SimpleNamespace(submit=submit)


@pytest.mark.parametrize("process", long_unless(["this", "its own"], "this"))
def test_campaign_finds_what_tests_miss(toy, tmp_path, monkeypatch, process):
    """Through the command, with its own judge"""
    monkeypatch.setattr(plan, "own_assignment", lambda: toy)
    if process == "this":
        monkeypatch.setattr(campaign.engine, "started", engine_of_this_process)
    toy.equivalents.write_text(
        "[[mutant]]\nmodule = 'toy'\nfunction = 'listed'\noriginal = 'return -a'\n"
        "mutated = 'return a'\nreason = 'the test takes the magnitude'\npublic = true\n"
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
        "return max(a, 1)": "public",
        "return max(a, -1)": "survived",
    }
    assert of["endless"]["n += 1"] == of["endless"]["pass"] == "timed out"
    assert of["deadly"]["if a:"] == "killed"
    assert of["flaky"] == {
        **dict.fromkeys(["return a - 1", "return a + 2", "return a + 0"], "killed"),
        "return None": "killed",
    }
    assert of["listed"]["return a"] == "public"
    assert set(of["untested"].values()) == {"untested"}
    assert set(of["raced"].values()) == {"killed"}

    assert [m["function"] for m in record["mutants"] if m["equivalent"]] == ["listed"] * 2
    assert len(record["stale"]) == 2
    assert "gone" in record["stale"][0]
    assert "return None" in record["stale"][1]
    total = record["total"]
    assert total["mutants"] == sum(map(len, of.values()))
    assert total["public"] == 1
    assert total["equivalent"] == 0
    killed = total["killed"] + total["timed out"]
    assert total["survived"] == total["mutants"] - killed - 1
    assert total["share"] == round(100 * killed / total["mutants"], 2)

    said = result.output
    assert "toy.py:10  weak: survived  " in said
    assert "-    return max(a, 0)\n+    return max(a, -1)\n" in said
    assert "toy.py:10  weak: survived the hidden tests, not test_toy::test_floor" in said
    assert "-    return max(a, 0)\n+    return max(a, 1)\n" in said
    assert "toy.untested: no hidden test is for it" in said
    assert "killed by 1 of 3 nonces only" in said


@pytest.mark.parametrize(
    ("public", "status", "listed"),
    [
        (False, "survived", True),
        (False, "public", False),
        (True, "survived", False),
        (True, "public", True),
        (True, "killed", False),
    ],
)
def test_entry_says_whether_a_public_test_notices(toy, public, status, listed):
    """An entry that is wrong about it does not excuse its mutant"""
    toy.equivalents.write_text(
        "[[mutant]]\nmodule = 'toy'\nfunction = 'listed'\noriginal = 'return -a'\n"
        f"mutated = 'return a'\nreason = 'so it is'\npublic = {str(public).lower()}\n"
    )
    planned = plan.make(toy, exercises=["listed"])
    [mutant] = [m for m in planned.chosen if m.mutated == "return a"]
    verdict = Verdict(mutant, status, noticed=(status == "killed",))
    outcome = campaign.Outcome(planned, [verdict])
    assert outcome.is_listed(verdict) == listed
    assert (verdict in outcome.survivors) == (not listed and status != "killed")
    assert len(outcome.stale) == (status == "killed")


@pytest.fixture
def here(toy, grader):
    """A started grader of the toy assignment."""
    with lent(grader, manifest=toy.manifest, repository=toy.repository):
        yield grader


@pytest.fixture
def try_mutants_of(toy, here):
    """Tries the mutants of a toy function in this process."""

    def run(function, meanwhile=lambda: None):
        planned = plan.make(toy, exercises=[function])
        base = trials.baseline(here, toy.reference, [function], planned.nonces[0])
        meanwhile()
        batch = [Trial(m, planned.exercises(m)) for m in planned.chosen]
        return trials.run(here, toy.reference, batch, base, planned.nonces, Killers())

    return run


@pytest.mark.parametrize("lasting", [False, True])
def test_fault_of_the_grader_is_retried_and_never_a_kill(try_mutants_of, monkeypatch, lasting):
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


def test_reference_that_does_not_pass_is_reported(toy, here):
    """Its mutants have no result then"""
    path = toy.reference / "toy_package" / "toy.py"
    path.write_text(path.read_text().replace("return a - b", "return a + b"))
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


def test_what_keeps_a_campaign_from_a_result_is_said(toy, monkeypatch):
    """A reference that does not pass, and a list of equivalents that cannot be read"""
    result = invoke(monkeypatch, toy, [], problems=["toy: the reference itself does not pass"])
    assert (result.exit_code, "the reference itself does not pass" in result.output) == (1, True)
    toy.equivalents.write_text("[[mutant]]")
    result = invoke(monkeypatch, toy, ["killed"])
    assert (result.exit_code, "list.toml" in result.output) == (2, True)


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
