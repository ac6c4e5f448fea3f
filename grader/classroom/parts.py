"""Which exercises a change of the grader concerns: those whose tests changed, or all.

A class whose tests were corrected runs only these again. Kept is, for each state of the grader that
gave a grade, a hash of each exercise's tests, of the rest of each file of tests, and of every other
file. A change of the rest of a file concerns each exercise with a test in it; one of another file
concerns all; one of comments in tests, none.
"""

from __future__ import annotations

import ast
import functools
import hashlib
from pathlib import Path

import msgspec

from grader.classroom.folder import read_json
from grader.judge.markers import exercises_in, marked_exercise
from grader.judge.provenance import grading_files, hash_of_files, tree_hash
from grader.paths import REPOSITORY
from grader.results.write import write_atomically


class Parts(msgspec.Struct, frozen=True):
    """A state of the grader."""

    tests: dict[str, str]  # by exercise, the hash of its tests
    rest: dict[str, str]  # by file of tests, the hash of what else is in it
    exercises: dict[str, list[str]]  # by file of tests: those with a test in it
    others: str  # the hash of every other file


@functools.cache
def parts(root: Path = REPOSITORY) -> Parts:
    """The parts of the grader as it is."""
    tests: dict[str, list[str]] = {}
    rest, exercises, others = {}, {}, {}
    for name, text in sorted(grading_files(root).items()):
        if not name.startswith("tests/") or not Path(name).name.startswith("test_"):
            others[name] = text
            continue
        unmarked = []
        for node in ast.parse(text).body:
            exercise = marked_exercise(node) if isinstance(node, ast.FunctionDef) else None
            if exercise:
                tests.setdefault(exercise, []).append(f"{name}\n{ast.dump(node)}")
            else:
                unmarked.append(ast.dump(node))
        rest[name], exercises[name] = _hash(unmarked), sorted(exercises_in(root / name))
    hashes = {exercise: _hash(texts) for exercise, texts in tests.items()}
    return Parts(hashes, rest, exercises, hash_of_files(others.items()))


def _hash(texts: list[str]) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


def keep_parts(marks: Path) -> None:
    """Notes the grader as it is, for a later change of it."""
    file = _file(marks, tree_hash())
    if not file.exists():
        file.parent.mkdir(exist_ok=True)
        write_atomically(file, msgspec.json.encode(parts()))


def to_rerun(marks: Path, tree: str) -> set[str] | None:
    """The exercises that changes since the grader `tree` concern; None: all, or nobody knows."""
    before, now = read_json(_file(marks, tree), Parts), parts()
    if before is None or before.others != now.others or before.rest.keys() != now.rest.keys():
        return None
    found = _differing(before.tests, now.tests)
    for test_file in _differing(before.rest, now.rest):
        found.update(before.exercises[test_file], now.exercises[test_file])
    return found


def _differing(before: dict[str, str], now: dict[str, str]) -> set[str]:
    return {key for key, _ in before.items() ^ now.items()}


def _file(marks: Path, tree: str) -> Path:
    return marks / "graders" / f"{tree}.json"
