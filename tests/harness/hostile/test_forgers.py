"""Forgers: wrong code that also replaces everything in its process earns no more for that.

A folder in `tests/submissions/forgers/` is one forger, named for its exercise (after `--`, which of
several it is). Its modules replace the reference's. While `FORGES` is true, they replace scenarios,
the serve loop, torch or whatever else helps to report work that was not done. They hold no code
that would pass honestly if it stood in the function itself.
"""

import ast
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from assignment import manifest
from grader.authoring.variants import copy_reference
from grader.judge.grader import Grader, Tests
from tests.harness.conftest import FRESH, lent, long_unless
from tests.harness.container import REPOSITORY

FORGERS = REPOSITORY / "tests" / "submissions" / "forgers"
FLAG = "FORGES = True"
NAMES = sorted(folder.name for folder in FORGERS.iterdir() if folder.is_dir())
NONCE = "forgers"
EXERCISES = manifest.load()


@pytest.fixture
def short_grader(grader: Grader) -> Iterator[Grader]:
    """A grader that also runs the hidden tests of exercises which need a device for races.

    A forger that waits for ever does so for 4 s, and not for a test's usual 10.
    """
    usual = EXERCISES.for_any_machine
    short = msgspec.structs.replace(usual.limits, seconds=4.0)
    with lent(grader, manifest=msgspec.structs.replace(usual, limits=short)):
        yield grader


def exercise_of(name: str) -> str:
    return name.partition("--")[0]


def modules_of(name: str) -> list[Path]:
    return sorted((FORGERS / name / "resource_accounting").glob("*.py"))


def write(name: str, folder: Path, forges: bool) -> Path:
    """Writes a forger as a whole submission, or only the wrong code beneath it."""
    package = copy_reference(folder)
    shutil.copy(FORGERS / "forging.py", package)
    for path in modules_of(name):
        text = path.read_text(encoding="utf-8")
        assert text.count(FLAG) == 1, f"{path} has no line {FLAG}"
        (package / path.name).write_text(
            text if forges else text.replace(FLAG, "FORGES = False"), encoding="utf-8"
        )
    return folder


# Of every other chapter the last one.
LAST = {EXERCISES[exercise_of(n)].chapter: n for n in NAMES if "--" not in n}
SHORT = list(LAST.values())[::2]


@pytest.mark.parametrize("name", long_unless(NAMES, *SHORT))
def test_forger_earns_no_more_than_the_code_beneath(short_grader, tmp_path, name):
    exercise = exercise_of(name)

    def graded(forges: bool, tests: Tests = "hidden") -> tuple[set[str], set[str]]:
        """The tests that pass, and those that fail."""
        folder = write(name, tmp_path / f"{forges}-{tests}", forges)
        grade = short_grader.grade(
            folder, tests=tests, only=[exercise], timing="skip", nonce=NONCE, fresh=FRESH
        )
        assert not grade.faults
        checks = [check for check in grade.checks if check.exercise == exercise]
        passed, failed = ({c.test for c in checks if c.state == s} for s in ("passed", "failed"))
        return passed, failed

    passed, failed = graded(forges=False)
    # Some mistakes fail public tests alone, and a forger of those has nothing to gain.
    assert failed or graded(forges=False, tests="public")[1], "a forger's code is wrong"
    assert graded(forges=True)[0] <= passed


@pytest.mark.parametrize("name", NAMES)
def test_forger_says_what_it_forges(name):
    assert modules_of(name)
    for path in modules_of(name):
        first = path.read_text(encoding="utf-8").partition("\n")[0]
        assert first.startswith(f'"""{exercise_of(name)}: '), path


def test_every_exercise_that_uses_a_scenario_has_a_forger():
    known = {exercise.id for exercise in EXERCISES}
    forged = {exercise_of(name) for name in NAMES}
    assert forged <= known
    used = set().union(*map(uses_scenarios, sorted((REPOSITORY / "tests/hidden").glob("*.py"))))
    assert used, "no test uses a scenario"
    assert used <= forged


def uses_scenarios(path: Path) -> set[str]:
    """The exercises whose tests in a file use a scenario, also by functions of that file."""
    text = path.read_text(encoding="utf-8")
    nodes = [n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    lines = text.splitlines()
    code = {node.name: "\n".join(lines[node.lineno - 1 : node.end_lineno]) for node in nodes}
    used, more = {"scenarios"}, {"scenarios"}
    while more:
        more = {n for n, of in code.items() if more & set(re.findall(r"\w+", of))} - used
        used |= more
    return {
        exercise
        for node in nodes
        if node.name in used and node.name.startswith("test_")
        for decorator in node.decorator_list
        for exercise in re.findall(r"\.exercise\(['\"](\w+)", ast.unparse(decorator))
    }
