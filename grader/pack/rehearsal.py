"""Grades the reference with the files to pack, before they are packed.

The files are written into a separate folder and grade from there, so a file that the pack lacks is
missing here too.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from assignment import manifest as manifests
from grader.causes import Cause
from grader.faults import GraderFault
from grader.pack.files import write_files
from grader.results.record import Grade, from_json

_MAX_NAMED = 5  # checks in a message
# Exit statuses of a grading: the reference cannot be read, or the manifest has a mistake.
_BAD_CHECKOUT = (2, 4)


class RehearsalError(Exception):
    """The reference does not get full marks; the message names the checks that it fails."""


def check(files: dict[str, bytes]) -> None:
    """Grades the reference with these files, hidden and public tests; takes half a minute.

    Raises:
        RehearsalError: it does not get all points that can be earned without a GPU.
        GraderFault: this machine cannot grade.
    """
    text = files["assignment/assignment.toml"].decode()
    declared = manifests.parse(text, manifests.SOURCE).points
    with tempfile.TemporaryDirectory(prefix="pack-") as folder:
        write_files(files, Path(folder))
        grade = grade_packed(Path(folder))
    missed = [
        f"{c.test} {c.state}: {c.cause}"
        for c in grade.checks
        if c.state != "passed" and c.cause is not Cause.NEEDS_CUDA
    ]
    if missed or grade.score != declared or grade.max_score != declared:
        named = missed[:_MAX_NAMED]
        if len(missed) > _MAX_NAMED:
            named.append(f"and {len(missed) - _MAX_NAMED} more")
        raise RehearsalError(
            f"nothing is packed: graded with it, the reference gets {grade.score:g} of "
            f"{grade.max_score:g} points, where {declared:g} are declared"
            + "".join(f"\n  {line}" for line in named)
            + "\n`make verify` says more."
        )


def grade_packed(folder: Path) -> Grade:
    """Grades the reference in `folder` with the grader there, without races.

    Raises RehearsalError if the checkout there has a mistake, GraderFault if it cannot grade here.
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
    message = f"the reference could not be graded with the packed files:\n{done.stderr.strip()}"
    raise RehearsalError(message) if done.returncode in _BAD_CHECKOUT else GraderFault(message)
