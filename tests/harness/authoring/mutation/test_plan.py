"""Which tests are tried on a mutant, in which order, and which mutants are chosen."""

from grader.authoring.mutation import plan
from grader.authoring.mutation.mutants import mutants_of
from grader.authoring.mutation.reach import Reach
from grader.authoring.mutation.verdicts import Killers
from tests.harness.authoring.mutation.toy import TWICE, toy_manifest


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
    (mutant, *_) = mutants_of("m", TWICE)
    killers = Killers()
    for test in ("one", "two", "one", "three"):
        killers.add(mutant, test)
    tests = ["zero", "one", "two", "three"]
    ranked = sorted(tests, key=lambda test: killers.rank(mutant, test))
    assert ranked == ["three", "one", "two", "zero"]


def test_modules_and_exercises_choose_mutants(toy):
    everyone = plan.make(toy).chosen
    assert plan.make(toy, ["toy"]).chosen == everyone
    weak = plan.make(toy, exercises=["weak"]).chosen
    assert weak == tuple(m for m in everyone if m.function == "weak") != ()
    assert set(plan.make(toy, sample=5, seed=3).chosen) < set(everyone)
