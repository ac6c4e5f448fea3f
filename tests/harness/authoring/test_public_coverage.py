"""The campaign `public-coverage` counts mistakes that public tests see; its list is true."""

from collections import Counter

import pytest

from assignment import manifest as manifests
from grader.authoring.campaigns import public_coverage
from grader.authoring.campaigns.inprocess import CampaignError
from grader.authoring.variants import all_wrong
from tests.harness import warm
from tests.harness.authoring import toys
from tests.harness.conftest import REPOSITORY

WRONG = {
    "double_is_0": ('"""double: 0"""', "def double(n):\n    return 0"),
    "double_dies": ('"""double: dies"""', "def double(n):\n    import os\n    os._exit(1)"),
    "triple_is_0": ('"""triple: 0"""', "def triple(n):\n    return 0"),
    "triple_of_small": ('"""triple: at most 99"""', "def triple(n):\n    return min(3 * n, 99)"),
    "triple_prints": ('"""triple (public): 1"""', "def triple(n):\n    return 1"),
}


@pytest.fixture
def run(tmp_path):
    """Runs the command on the small assignment, with a list of what only the grader tests."""
    wrong = {name: f"{header}\n\n\n{code}\n" for name, (header, code) in WRONG.items()}
    toys.write(tmp_path, wrong)

    def run(listed, *arguments):
        (tmp_path / "grader_only.toml").write_text(listed)
        return toys.run(tmp_path, "public-coverage", *arguments)

    return run


def entry(file, rule):
    return f"[[mistake]]\nfile = '{file}'\nrule = '{rule}'\n"


def test_shares_are_counted_by_exercise(run):
    """A mistake for public tests alone does not count; one that dies is seen"""
    done = run(entry("triple_of_small", "large numbers"), "--missed")
    lines = [" ".join(line.split()) for line in done.said.splitlines()]
    assert lines == [
        "triple_of_small: at most 99",
        "double of 2 caught by hidden tests, 2 by public ones too, 100 %",
        "✗ triple of 2 caught by hidden tests, 1 by public ones too, 50 %",
        "✗ all of 4 caught by hidden tests, 3 by public ones too, 75 %",
        "required are 80 % in all and 60 % in each exercise",
    ]
    assert done.status == 1


def test_one_exercise_alone(run):
    done = run("", "--exercise", "double")
    assert done.status == 0, done.said
    assert "triple" not in done.said
    done = run("", "--exercise", "gone")
    assert done.status == 2
    assert "no mistake of gone" in " ".join(done.said.split())


def test_list_must_be_what_public_tests_miss(run):
    done = run(entry("double_is_0", "large numbers") + entry("gone", "large numbers"))
    assert done.status == 1
    for line in (
        "gone is no mistake of a hidden test",
        "double_is_0: 'large numbers' is no rule of double; add it to grader_only there",
        "triple: no mistake breaks 'large numbers', which is in grader_only; public tests see all",
        "double_is_0 fails a public test",
        "triple_of_small is not listed",
    ):
        assert f"stale in grader_only.toml: {line}\n" in done.said


def test_file_listed_twice_is_refused(tmp_path):
    (tmp_path / "list.toml").write_text(2 * entry("a", "b"))
    with pytest.raises(CampaignError, match=r"list.toml: a is listed twice"):
        public_coverage.load_grader_only(tmp_path / "list.toml")


def test_rules_of_the_grader_are_those_of_its_list():
    """Students read of every mistake that no public test sees, and of no other rule"""
    manifest = manifests.load()
    listed = public_coverage.load_grader_only(public_coverage.GRADER_ONLY)
    assert public_coverage.contradictions(manifest, all_wrong(manifest, hidden=True), listed) == []


def test_public_tests_see_enough_by_the_list():
    """`grader author public-coverage` shows that the list is true; here it is only counted"""
    wrong = all_wrong(manifests.load(), hidden=True)
    listed = public_coverage.load_grader_only(public_coverage.GRADER_ONLY)
    caught = Counter(one.exercise.id for one in wrong)
    missed = Counter(one.exercise.id for one in wrong if one.path.stem in listed)
    for exercise, number in caught.items():
        assert 1 - missed[exercise] / number >= public_coverage.IN_EACH, exercise
    assert 1 - missed.total() / caught.total() >= public_coverage.IN_ALL


def test_an_exercise_is_as_the_list_says():
    """The command on this repository's mistakes of one exercise, whose public tests are quick"""
    command = ["-c", toys.GRADER, "author", "public-coverage"]
    command += ["--missed", "--exercise", "recipe_bytes"]
    done = warm.run(*command, cwd=REPOSITORY)
    assert done.returncode == 0, done.stdout + done.stderr
    exercises = {one.path.stem: one.exercise.id for one in all_wrong(manifests.load())}
    missed = {line.partition(":")[0] for line in done.stdout.splitlines()} & exercises.keys()
    listed = public_coverage.load_grader_only(public_coverage.GRADER_ONLY)
    assert missed == {file for file in listed if exercises[file] == "recipe_bytes"} != set()
