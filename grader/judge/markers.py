"""Checks that tests and exercises match, from the markers in the tests' source.

Every command that uses the assignment does this first, and imports no test for it. An exercise
without a test would silently be worth nothing. A test of an unknown exercise, renamed for example,
would be a grader fault in every grading.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

from assignment import manifest as manifests
from assignment.manifest import Manifest, ManifestError, did_you_mean
from assignment.toml_lines import line_of

_MARKER = re.compile(r"^[ \t]*@pytest\.mark\.exercise\(\s*['\"]([^'\"]*)", re.M)
_GRADED = ("hidden", "timing")  # folders whose tests give points; only the first runs everywhere


def load(tests: Path) -> Manifest:
    """The assignment's manifest, checked against its tests; raises ManifestError."""
    manifest = manifests.load()
    check_tests(manifest, tests, manifests.MANIFEST.read_text(encoding="utf-8"))
    return manifest


def exercises_in(file: Path) -> dict[str, int]:
    """The exercises that a test file names in markers, each with the line number of the first."""
    text = file.read_text(encoding="utf-8")
    found: dict[str, int] = {}
    for marker in _MARKER.finditer(text):
        found.setdefault(marker[1], text.count("\n", 0, marker.start(1)) + 1)
    return found


def marked_exercise(node: ast.FunctionDef | ast.ClassDef) -> str | None:
    """The exercise that a test's decorator names."""
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith("exercise"):
            first = decorator.args[0] if decorator.args else None
            return str(first.value) if isinstance(first, ast.Constant) else None
    return None


def check_tests(manifest: Manifest, tests: Path, text: str) -> None:
    """Checks that each exercise has a test that gives points, and each marker names an exercise.

    `text` is the manifest's source, to find line numbers in. Raises ManifestError, in one line.
    """
    known = {exercise.id for exercise in manifest}
    named: dict[str, set[str]] = {}
    for folder in ("public", *_GRADED):
        named[folder] = set()
        for file in sorted((tests / folder).glob("test_*.py")):
            for exercise, line in exercises_in(file).items():
                if exercise not in known:
                    raise ManifestError(
                        f"tests/{folder}/{file.name}:{line}: expected the id of an exercise of "
                        f"{manifests.SOURCE}, got {exercise!r}{did_you_mean(exercise, known)}"
                    )
                named[folder].add(exercise)
    for i, one in enumerate(manifest):
        folders = _GRADED if one.needs else _GRADED[:1]
        if not any(one.id in named[folder] for folder in folders):
            raise ManifestError(
                f"{manifests.SOURCE}:{line_of(text, ('exercise', i))}: exercise {one.id!r} has no "
                f"test in tests/{' or tests/'.join(folders)}; add one that is marked "
                f'@pytest.mark.exercise("{one.id}"), or take the exercise out'
            )
