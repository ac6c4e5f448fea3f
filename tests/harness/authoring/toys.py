"""A small assignment, on which tests run commands of the grader."""

import os
from dataclasses import dataclass
from pathlib import Path

from tests.harness import warm
from tests.harness.conftest import REPOSITORY

MANIFEST = """
title = "Toys"
package = "toy_package"
version = "1"
points = 16
[limits]
seconds = 0.1
memory_mib = 200
"""
# By exercise what it has besides.
EXERCISES = {
    "double": "",
    "triple": "grader_only = ['large numbers']",
    "remember": "",
    "later": "depends_on = ['double']",
}
TOY = """
import time

kept = []

def double(n):
    return 2 * n

def triple(n):
    return 3 * n

def remember(n):
    kept.append(n)
    return list(kept)

def wait(n, before):
    before()
    time.sleep(n)

def later(n):
    return double(n) + 1
"""
# `later` depends on `double`. Every test draws from its seed; one fails for some draws.
TESTS = """
import pytest

from assignment.calls.callbacks import KillProcess

def kill():
    raise KillProcess

@pytest.mark.exercise("double")
def test_double(impl, rng):
    n = int(rng.integers(1, 9))
    assert impl.toy.double(n) == 2 * n

@pytest.mark.exercise("triple", weight=3)
def test_triple(impl):
    assert impl.toy.triple(5) == 15

@pytest.mark.exercise("triple")
def test_one_of_two(impl, rng):
    n = int(rng.integers(2))
    assert impl.toy.triple(n) == 3 * n

@pytest.mark.exercise("remember")
def test_remember(impl, seed):
    assert impl.toy.remember(1) == [1]
    impl.restart()
    assert impl.toy.remember(2) == [2]
    assert impl.kill_during("toy.wait", 60, kill)
    assert impl.toy.remember(3) == [3]
    assert seed % 4, "one nonce in four"

@pytest.mark.exercise("later")
def test_later(impl):
    assert impl.toy.later(1) == 3
"""
PUBLIC = """
import pytest

@pytest.mark.exercise("double")
def test_double(impl):
    assert impl.toy.double(4) == 8

@pytest.mark.exercise("triple")
def test_triple(impl):
    assert impl.toy.triple(4) == 12
"""
# As `-m grader`, which would execute Python anew, and import torch.
GRADER = "from grader.cli import main; main()"
# Runs the command on the small assignment, in a process with one thread, since it forks.
DRIVER = """
import os
import sys
from functools import partial
from pathlib import Path

from assignment import manifest
from grader import cli
from grader.authoring.campaigns import inprocess, public_coverage

here = Path(sys.argv[1])
toys = manifest.parse((here / "assignment.toml").read_text())
files = here, here / "solutions", here / "wrong", toys, [here / "another"]
inprocess.Assignment = partial(inprocess.Assignment, *files)
public_coverage.GRADER_ONLY = here / "grader_only.toml"
status = cli.build_app()(["author", *sys.argv[2:]], standalone_mode=False)
left = [p for p in (here / "tmp").iterdir()]
assert left == [], f"left behind: {left}"
sys.exit(status)
"""


@dataclass
class Finished:
    """The exit status and the output of a command."""

    status: int
    said: str


def write(here: Path, wrong: dict[str, str]) -> Path:
    """Writes a reference of one module, tests of it, and these wrong submissions."""
    text = MANIFEST
    for name, more in EXERCISES.items():
        text += f"[[exercise]]\nid = '{name}'\ntitle = '{name}'\nchapter = 'toy'\n"
        text += f"functions = ['toy.{name}']\npoints = 4\nhint = 'no'\n{more}\n"
    files = {"assignment.toml": text, "tests/hidden/test_toy.py": TESTS}
    files["tests/public/test_toy.py"] = PUBLIC
    for folder in ("solutions", "another"):
        files[f"{folder}/toy_package/__init__.py"] = ""
        files[f"{folder}/toy_package/toy.py"] = TOY
    files |= {f"wrong/{name}.py": code for name, code in wrong.items()}
    for name, code in files.items():
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_text(code)
    (here / "tmp").mkdir()
    return here


def run(here: Path, *arguments: str, before: str = "") -> Finished:
    """Runs a command of the grader on the small assignment."""
    env = {**os.environ, "TMPDIR": str(here / "tmp")}
    done = warm.run("-c", before + DRIVER, str(here), *arguments, cwd=REPOSITORY, env=env)
    return Finished(done.returncode, done.stdout + done.stderr)
