"""Which exercises the tests name, read from their markers without importing a test.

Every command that uses the assignment checks this first: an exercise without a test would silently
be worth nothing, and a test of an exercise that was renamed would be a fault in every grading.
"""

from __future__ import annotations

import re
from pathlib import Path

from assignment import manifest as manifests
from assignment.manifest import Manifest, ManifestError, did_you_mean
from assignment.toml_lines import line_of

_MARKER = re.compile(r"^[ \t]*@pytest\.mark\.exercise\(\s*['\"]([^'\"]*)", re.M)
_GRADED = ("hidden", "timing")  # what gives points: any machine runs the first


def load(tests: Path) -> Manifest:
    """The assignment's manifest, checked against its tests; raises ManifestError."""
    manifest = manifests.load()
    check_tests(manifest, tests, manifests.MANIFEST.read_text(encoding="utf-8"))
    return manifest


def exercises_in(file: Path) -> dict[str, int]:
    """The exercises that a file of tests names in its markers, each with its first line there."""
    text = file.read_text(encoding="utf-8")
    found: dict[str, int] = {}
    for marker in _MARKER.finditer(text):
        found.setdefault(marker[1], text.count("\n", 0, marker.start(1)) + 1)
    return found


def check_tests(manifest: Manifest, tests: Path, text: str) -> None:
    """Checks that each exercise has a test that gives points, and each marker names an exercise.

    Args:
        manifest: the assignment.
        tests: the folder that holds `public`, `hidden` and `timing`.
        text: that of the manifest's file, to find lines in.

    Raises:
        ManifestError: it does not; one line.
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
