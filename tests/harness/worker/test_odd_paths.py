"""Blanks, quotes and letters beyond ASCII in a path change nothing."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from grader.worker import kernel
from tests.harness.conftest import REPOSITORY, wait_until
from tests.harness.processes import children

REFERENCE = "def storage_index(index, strides, offset=0):\n"
REFERENCE += "    return sum(i * s for i, s in zip(index, strides)) + offset\n"


def test_escaped_mount_points_are_decoded(tmp_path):
    """The kernel escapes characters that would end a path"""
    table = tmp_path / "mounts"
    lines = ["/dev/vda / ext4 rw 0 0", r"tmpfs /my\040cläss\011a\134b tmpfs rw 0 0"]
    table.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    assert kernel.mount_points(table) == ["/", "/my cläss\ta\\b"]


@pytest.fixture
def grading(tmp_path) -> Iterator[tuple[subprocess.Popen[str], Path, Path]]:
    """A running `grader grade`: its process, its temporary folder and the folder of its results."""
    folder = tmp_path / "my cläss\t'a\\b"
    package = folder / "alice" / "resource_accounting"
    temporary = folder / "temporary files"
    package.mkdir(parents=True)
    temporary.mkdir()
    (package / "strides.py").write_text(REFERENCE, encoding="utf-8")
    out = folder / "out put"
    command = [sys.executable, "-m", "grader", "grade", str(package.parent), "--out", str(out)]
    with subprocess.Popen(
        [*command, "--tests", "public"],
        cwd=REPOSITORY,
        env={**os.environ, "TMPDIR": str(temporary)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        yield process, temporary, out
        process.kill()


def test_grading_writes_its_results_and_leaves_nothing_else(grading):
    process, temporary, out = grading
    _, stderr = process.communicate()
    assert (process.returncode, stderr) == (0, "")
    grade = json.loads((out / "grade.json").read_text(encoding="utf-8"))
    assert grade["score"] > 0
    assert list(temporary.iterdir()) == []


def test_zygote_of_a_killed_judge_removes_its_mounts(grading):
    process, temporary, _ = grading

    def has_started_a_worker() -> bool:
        """In tier A only the zygote sees the folders of its workers"""
        inside = False
        for pid in children(process.pid):
            with suppress(OSError):  # it is ending
                inside |= "/scratch/" in Path(f"/proc/{pid}/mounts").read_text()
        return inside or bool(list(temporary.glob("*/scratch/*")))

    assert wait_until(has_started_a_worker)
    process.kill()
    assert wait_until(lambda: list(temporary.iterdir()) == [])
