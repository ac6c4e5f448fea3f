"""The committed handout: it is in sync, and shows nothing of a solution."""

import ast
import subprocess
import sys
import tomllib

import pytest

from assignment import manifest
from grader.authoring import handout, stubs
from tests.harness.conftest import REPOSITORY

REFERENCE = REPOSITORY / "solutions" / "resource_accounting"


def test_handout_is_in_sync():
    assert handout.check() == [], "run `make handout`"


def test_check_names_stale_missing_and_unexpected_files(tmp_path):
    handout.build(tmp_path)
    assert handout.check(tmp_path) == []
    (tmp_path / "tests" / "extra.py").write_text("", encoding="utf-8")
    (tmp_path / "Makefile").unlink()
    (tmp_path / "resource_accounting" / "strides.py").write_text("x = 1\n", encoding="utf-8")
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "local").write_text("", encoding="utf-8")
    assert handout.check(tmp_path) == [
        "missing: Makefile",
        "unexpected: tests/extra.py",
        "stale: resource_accounting/strides.py",
    ]
    handout.build(tmp_path)
    assert handout.check(tmp_path) == []
    assert (tmp_path / ".venv" / "local").is_file()


def test_build_refuses_a_folder_with_other_files(tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(handout.HandoutError, match="is no handout"):
        handout.build(tmp_path)
    assert (tmp_path / "thesis.txt").is_file()


def test_stubs_are_formatted_python_without_unknown_names():
    for check in (["format", "--check"], ["check"]):
        ruff = [sys.executable, "-m", "ruff", *check, "--no-cache", "resource_accounting"]
        run = subprocess.run(ruff, cwd=handout.HANDOUT, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stdout + run.stderr


def bodies():
    """The lines of each reference function that the handout must not show."""
    for path in REFERENCE.glob("*.py"):
        source = path.read_text(encoding="utf-8")
        lines = source.splitlines()
        for node in ast.walk(ast.parse(source)):
            if not isinstance(node, ast.FunctionDef):
                continue
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            if body and stubs.MARKER not in lines[first - 2]:
                shown = [line.strip() for line in lines[body[0].lineno - 1 : node.end_lineno]]
                yield [line for line in shown if len(line) >= 8]


def test_no_solution_is_in_the_handout():
    """No line of one is in a stub, and nowhere else three in a row: one may be anywhere"""
    secret = {line for body in bodies() for line in body}
    passages = {tuple(body[i : i + 3]) for body in bodies() for i in range(len(body) - 2)}
    assert len(secret) > 100
    for path in handout.HANDOUT.rglob("*"):
        if path.suffix in (".py", ".md"):
            lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
            lines = [line for line in lines if len(line) >= 8]
            assert not {tuple(lines[i : i + 3]) for i in range(len(lines) - 2)} & passages, path
            if path.parent.name in ("resource_accounting", "stubs"):
                assert not set(lines) & secret, path


def test_version_is_the_manifests():
    project = tomllib.loads((handout.HANDOUT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["version"] == manifest.load().version


def test_dependencies_are_a_subset_of_this_repositorys():
    theirs, ours = (
        set(tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"])
        for root in (handout.HANDOUT, REPOSITORY)
    )
    assert theirs <= ours
