"""Grades the reference with what would be packed: nothing is packed that refuses its own solution.

The files are laid out in a folder of their own and grade from there, so that one which is missing
from the pack is missed here too.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from assignment import manifest as manifests
from grader.judge.failure import GraderFault
from grader.results.causes import Cause
from grader.results.record import Grade, from_json

_NAMED = 5  # checks in a message
_AUTHORS = (2, 4)  # exit statuses for a reference that cannot be read, or a mistaken manifest


class RehearsalError(Exception):
    """The reference does not get full marks; the message says which checks it does not pass."""


def check(files: dict[str, bytes]) -> None:
    """Grades the reference with these files, by hidden and public tests; takes half a minute.

    Raises:
        RehearsalError: it does not get all points that any machine can give.
        GraderFault: this machine cannot grade.
    """
    text = files["assignment/assignment.toml"].decode()
    declared = manifests.parse(text, manifests.SOURCE).points
    with tempfile.TemporaryDirectory(prefix="pack-") as place:
        for name, content in files.items():
            path = Path(place) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        grade = grade_packed(Path(place))
    missed = [
        f"{c.test} {c.state}: {c.cause}"
        for c in grade.checks
        if c.state != "passed" and c.cause is not Cause.NEEDS_CUDA
    ]
    if missed or grade.score != declared or grade.max_score != declared:
        named = [*missed[:_NAMED], *([f"and {len(missed) - _NAMED} more"] * (len(missed) > _NAMED))]
        raise RehearsalError(
            f"nothing is packed: graded with it, the reference gets {grade.score:g} of "
            f"{grade.max_score:g} points, where {declared:g} are declared"
            + "".join(f"\n  {line}" for line in named)
            + "\n`make verify` says more."
        )


def grade_packed(folder: Path) -> Grade:
    """What the grader in `folder` gives the reference there, on any machine: without races.

    Raises:
        RehearsalError: its assignment cannot be used.
        GraderFault: it cannot grade here.
    """
    command = ["grade", "solutions", "--out", "out", "--timing", "skip"]
    done = subprocess.run(
        [sys.executable, "-m", "grader", *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode == 0:
        return from_json((folder / "out" / "grade.json").read_bytes())
    said = f"the reference could not be graded with what would be packed:\n{done.stderr.strip()}"
    raise RehearsalError(said) if done.returncode in _AUTHORS else GraderFault(said)
