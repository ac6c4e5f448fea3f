"""Which part may import which, checked in the syntax trees; also imports in functions."""

import ast
import functools
import itertools
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.harness.conftest import REPOSITORY

OURS = ("assignment", "grader", "solutions", "tests", "handout")


@functools.cache
def imports_of(path: Path, root: Path = REPOSITORY) -> set[str]:
    """The full names of this repository's modules that a file imports.

    `from a import b` gives `a.b` where that is a module, else `a`.
    """
    package = path.relative_to(root).with_suffix("").parts[:-1]
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            source = ".".join([*base, *(node.module.split(".") if node.module else [])])
            for alias in node.names:
                inside = root.joinpath(*source.split("."), alias.name)
                is_module = inside.with_suffix(".py").exists() or inside.is_dir()
                found.add(f"{source}.{alias.name}" if is_module else source)
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in ("import_module", "__import__", "find_spec", "run_module", "run_path"):
                found.add(str(node.args[0].value))
    return {name for name in found if name.partition(".")[0] in OURS}


def offenders(folder: str, allowed: Callable[[str], bool], root: Path = REPOSITORY) -> list[str]:
    """Every import of a folder's files, or of one file, that is not allowed."""
    place = root / folder
    files = [place] if place.is_file() else sorted(place.rglob("*.py"))
    assert files, f"{folder} holds no Python file"
    return [
        f"{path.relative_to(root)} imports {name}"
        for path in files
        for name in sorted(imports_of(path, root))
        if not allowed(name)
    ]


def within(*packages: str) -> Callable[[str], bool]:
    """Allows the packages and their modules."""
    return lambda name: any(name == p or name.startswith(f"{p}.") for p in packages)


LOW = (
    *("grader.causes", "grader.faults", "grader.folders", "grader.isolation", "grader.machine"),
    *("grader.paths", "grader.results", "grader.intake", "grader.trace", "grader.wire"),
)
JUDGE = within(
    *("assignment", *LOW, "grader.supervisor", "grader.races", "grader.judge"),
    *("grader.preload", "grader.signals"),
)
# For the modules beside the packages.
FORBIDDEN = within("grader.authoring", "grader.classroom", "grader.pack")
LIGHT = ("causes", "command_line", "folders", "isolation", "machine", "paths", "signals")
RULES = {
    "assignment": within("assignment"),
    "assignment/calls": within("assignment.calls", "assignment.programs", "assignment.scenarios"),
    "assignment/material": within("assignment.calls", "assignment.expect", "assignment.material"),
    "assignment/scenarios": within(
        *("assignment.calls", "assignment.material", "assignment.programs", "assignment.scenarios")
    ),
    "assignment/programs": within("assignment.programs"),
    "grader/wire/frames.py": within("assignment.calls.plain"),
    "grader/wire/arguments.py": within(
        *("assignment.calls.plain", "assignment.calls.layouts", "grader.wire.frames")
    ),
    "grader/wire": within("assignment", "grader.causes", "grader.faults", "grader.wire"),
    "grader/results": within("assignment", "grader.causes", "grader.isolation", "grader.results"),
    "grader/intake": within(
        *("assignment", "grader.faults", "grader.machine", "grader.results.text", "grader.intake")
    ),
    # What runs beside a submission; `grader.wire.claims` is the judge's alone.
    "grader/sandbox": within(
        *("grader.folders", "grader.isolation", "grader.wire.messages", "grader.sandbox")
    ),
    "grader/worker": within(
        *("assignment", "grader.command_line", "grader.folders", "grader.isolation"),
        *("grader.paths", "grader.preload", "grader.sandbox", "grader.worker"),
        *("grader.wire.arguments", "grader.wire.frames", "grader.wire.messages"),
    ),
    "grader/supervisor": within("assignment", *LOW, "grader.supervisor"),
    "grader/races": within(
        *("assignment", *LOW, "grader.supervisor", "grader.races"),
        "solutions.resource_accounting.roofline",
    ),
    # `grader` alone is its version.
    "grader/judge": lambda name: name == "grader" or JUDGE(name),
    "grader/classroom": lambda name: (
        JUDGE(name) or within("grader.classroom", "grader.command_line", "grader.terminal")(name)
    ),
    "solutions/resource_accounting": within("assignment", "solutions.resource_accounting"),
    "tests/public": within("assignment"),
    "tests/hidden": within("assignment"),
    "handout/assignment": within("assignment", "handout.assignment.stubs"),
    "handout/resource_accounting": within("assignment", "handout.resource_accounting"),
    "handout/tests": within("assignment"),
    **{f"grader/{name}.py": within() for name in LIGHT},
    **{
        path.relative_to(REPOSITORY).as_posix(): lambda name: not FORBIDDEN(name)
        for path in (REPOSITORY / "grader").glob("*.py")
        if path.stem not in LIGHT
    },
    "grader": lambda name: not within("tests")(name),
    "solutions": lambda name: not within("tests")(name),
}


@pytest.mark.parametrize("folder", RULES)
def test_folder_imports_only_what_it_may(folder):
    assert offenders(folder, RULES[folder]) == []


def test_only_races_and_authoring_import_the_solutions():
    of_tests = ("tests/harness", "tests/text", "tests/benchmarks")
    may = ("grader/races", "grader/authoring", *of_tests, "solutions", "handout/.")
    for path in itertools.chain.from_iterable((REPOSITORY / o).rglob("*.py") for o in OURS):
        place = path.relative_to(REPOSITORY).as_posix()
        if not place.startswith(may) and b"solutions" in path.read_bytes():
            assert not any("solutions" in name for name in imports_of(path)), place


def test_the_grading_commands_load_no_module_of_authoring_or_pack():
    code = "import sys, grader.cli; print([n for n in sys.modules if n.startswith('grader.')])"
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    loaded = ast.literal_eval(run.stdout)
    assert "grader.cli" in loaded
    assert [name for name in loaded if FORBIDDEN(name)] == []


def test_forbidden_import_is_found_however_it_is_written(tmp_path):
    """A test of the tests above."""
    (tmp_path / "grader" / "judge").mkdir(parents=True)
    (tmp_path / "grader" / "judge" / "pool.py").touch()
    (tmp_path / "solutions").mkdir()
    folder = tmp_path / "grader" / "worker"
    folder.mkdir()
    ways = {
        "plain.py": "import grader.supervisor.pool",
        "from.py": "from grader.judge import pool",
        "deep.py": "def f():\n    if 0:\n        from grader.supervisor.pool import WorkerPool",
        "relative.py": "from ..judge import pool",
        "renamed.py": "import solutions as s",
        "typing.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import solutions",
        "dynamic.py": "import importlib\nimportlib.import_module('solutions.x')",
        "package.py": "from grader import judge",
    }
    for name, text in ways.items():
        (folder / name).write_text(text)
    good = "import os\nfrom grader.wire import frames\nfrom . import plain"
    (folder / "good.py").write_text(good)
    (tmp_path / "grader" / "wire").mkdir()
    (tmp_path / "grader" / "wire" / "frames.py").touch()
    found = offenders("grader/worker", RULES["grader/worker"], tmp_path)
    assert {line.split()[0].rpartition("/")[2] for line in found} == set(ways)
