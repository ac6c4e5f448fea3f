"""The provenance of a grade: what was graded, by which grader, on which machine, at what cost.

Hashes are SHA-256, in hexadecimal.
"""

from __future__ import annotations

import functools
import hashlib
import os
import platform
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

import msgspec

import grader
from assignment.manifest import Manifest, load
from grader.intake.stage import Selected
from grader.paths import REPOSITORY
from grader.races import device
from grader.results.record import Check, Grade, Provenance
from grader.supervisor.zygote import Zygote

SHORT = 12  # characters of a hash, for people
# The files that grading needs, so no others can change a mark; a container gets exactly these. No
# pattern matches subfolders: a new folder must be added here.
GRADING_FILES = (
    "pyproject.toml",
    "constraints.txt",
    "assignment/*.py",
    "assignment/*.toml",
    "assignment/calls/*.py",
    "assignment/material/*.py",
    "assignment/student/*.py",
    "assignment/scenarios/*.py",
    "assignment/programs/*.py",
    "solutions/*.py",
    "solutions/resource_accounting/*.py",
    "solutions/naive/resource_accounting/*.py",
    "tests/*.toml",
    "tests/public/*.py",
    "tests/hidden/*.py",
    "tests/timing/*.py",
    "grader/*.py",
    "grader/judge/*.py",
    "grader/judge/*.ini",
    "grader/doctor/*.py",
    "grader/intake/*.py",
    "grader/races/*.py",
    "grader/sandbox/*.py",
    "grader/supervisor/*.py",
    "grader/wire/*.py",
    "grader/worker/*.py",
    "grader/results/*.py",
    "grader/results/*.html",
)


@functools.cache  # takes 20 ms, and the code that a process has loaded does not change
def tree_hash(root: Path = REPOSITORY) -> str:
    """The hash of the grader's own files; a container and the checkout it was built from agree."""
    return hash_of_files(grading_files(root).items())


def grading_files(root: Path = REPOSITORY) -> dict[str, bytes]:
    """The files that can change a mark, by name, with the line ends of every checkout."""
    names = {
        path.relative_to(root).as_posix() for glob in GRADING_FILES for path in root.glob(glob)
    }
    return {name: (root / name).read_bytes().replace(b"\r\n", b"\n") for name in names}


def version() -> str:
    """The line for `grader --version`. To make it loads no large library, so it is quick."""
    return (
        f"grader {grader.__version__}, tree {tree_hash()[:SHORT]}, handout {load().version}, "
        f"Python {platform.python_version()}, torch {metadata.version('torch')}, in {REPOSITORY}"
    )


def summary(grade: Grade) -> str:
    """A line for staff: the hashes that two comparable gradings share, and that of the verdicts."""
    found = grade.provenance
    assert found is not None, "a finished grading has its provenance"
    return (
        f"grader {found.grader}, tree {found.tree[:SHORT]} · submission "
        f"{found.submission[:SHORT]} · verdicts {grade.verdicts[:SHORT]}"
    )


def content_hash(submission: Selected, package: str) -> str:
    """The hash of what is graded of a submission; it does not depend on the kind of archive."""
    files = {"__init__.py": b"", **submission.files}  # as staging makes it
    return hash_of_files((f"{package}/{name}", data) for name, data in files.items())


def hash_of_files(files: Iterable[tuple[str, bytes]]) -> str:
    """The hash of names and contents, sorted by name."""
    digest = hashlib.sha256()
    for name, data in sorted(files):
        encoded = os.fsencode(name)
        digest.update(b"%d %s %d " % (len(encoded), encoded, len(data)) + data)
    return digest.hexdigest()


def verdicts_hash(checks: Iterable[Check], manifest: Manifest) -> str:
    """The hash of every check's exercise, test, state, cause and points, whatever their order.

    With the same nonce and versions it is the same in every tier, with any number of lanes and on
    every machine. Exercises that need a device are left out: they are measured only where there is
    one, by a clock.
    """
    on_device = {exercise.id for exercise in manifest if exercise.needs}
    found = sorted(
        (check.exercise, check.test, check.state, check.cause or "", round(check.points, 6))
        for check in checks
        if check.exercise not in on_device
    )
    return hashlib.sha256(msgspec.json.encode(found)).hexdigest()


class CpuMeter:
    """Counts the CPU seconds of this process, its zygotes and all their workers."""

    def __init__(self) -> None:
        self._before = _own_seconds()

    def lap(self, zygotes: Iterable[Zygote]) -> float:
        """CPU seconds since the last lap, without workers that have not been reaped yet.

        Raises:
            GraderFault: a zygote has ended.
        """
        now = _own_seconds() + sum(zygote.cpu_seconds() for zygote in zygotes)
        seconds, self._before = max(now - self._before, 0.0), now
        return round(seconds, 2)


def _own_seconds() -> float:
    """CPU seconds of this process and of its children that have ended."""
    return sum(os.times()[:4])


def provenance(
    *, submission: str, handout: str | None, tier: str, lanes: int, cpu_seconds: float | None
) -> Provenance:
    """The record of a grading; versions and machine are those of this process."""
    import torch  # slow to load; a grading has loaded it already

    return Provenance(
        submission=submission,
        handout=handout,
        grader=grader.__version__,
        tree=tree_hash(),
        python=platform.python_version(),
        torch=str(torch.__version__),
        cpu=device.Cpu().name,
        kernel=platform.release(),
        tier=tier,
        lanes=lanes,
        cpu_seconds=cpu_seconds,
    )
