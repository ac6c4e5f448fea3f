"""Blanks, quotes and letters beyond ASCII in a path change nothing."""

import json
import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import partialmethod
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grader import cli
from grader.judge.grader import Grader
from grader.sandbox import kernel
from tests.harness.conftest import REPOSITORY, wait_until
from tests.harness.processes import children, descendants
from tests.harness.processes import command as commanded

REFERENCE = "def storage_index(index, strides, offset=0):\n"
REFERENCE += "    return sum(i * s for i, s in zip(index, strides)) + offset\n"


def test_escaped_mount_points_are_decoded(tmp_path):
    """The kernel escapes characters that would end a path"""
    table = tmp_path / "mounts"
    lines = ["/dev/vda / ext4 rw 0 0", r"tmpfs /my\040cläss\011a\134b tmpfs rw 0 0"]
    table.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    assert kernel.mount_points(table) == ["/", "/my cläss\ta\\b"]


@pytest.fixture
def odd(tmp_path) -> tuple[list[str], Path, Path]:
    """A command of the grader, its temporary folder and the folder of its results."""
    folder = tmp_path / "my cläss\t'a\\b"
    package = folder / "alice" / "resource_accounting"
    temporary = folder / "temporary files"
    package.mkdir(parents=True)
    temporary.mkdir()
    (package / "strides.py").write_text(REFERENCE, encoding="utf-8")
    out = folder / "out put"
    return ["grade", str(package.parent), "--out", str(out)], temporary, out


def test_grading_writes_its_results_and_leaves_nothing_else(odd, monkeypatch):
    command, temporary, out = odd
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    grade = partialmethod(Grader.grade, only=["storage_index"])
    monkeypatch.setattr(cli, "Grader", type("Short", (Grader,), {"grade": grade}))
    result = CliRunner().invoke(cli.build_app(), command)
    assert result.exit_code == 0, result.output
    assert json.loads((out / "grade.json").read_text(encoding="utf-8"))["score"] > 0
    assert list(temporary.iterdir()) == []


def test_killed_judge_leaves_no_mounts_and_showed_no_nonce_and_no_path(odd):
    command, temporary, out = odd
    nonce = "5eed-of-the-command-line"

    def has_started_a_worker() -> bool:
        """In tier A only the zygote sees the folders of its workers"""
        inside = False
        for pid in children(process.pid):
            with suppress(OSError):  # it is ending
                inside |= "/scratch/" in Path(f"/proc/{pid}/mounts").read_text()
        return inside or bool(list(temporary.glob("*/scratch/*")))

    with subprocess.Popen(
        [sys.executable, "-m", "grader", *command, "--nonce", nonce],
        cwd=REPOSITORY,
        env={**os.environ, "TMPDIR": str(temporary)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            assert wait_until(has_started_a_worker)
            # In tier B- workers see them, whatever their own are.
            shown = {pid: commanded(pid) for pid in (process.pid, *descendants(process.pid))}
        finally:
            process.kill()
    assert shown[process.pid].startswith("grader grade\0")
    assert any(text.startswith("grader zygote\0") for text in shown.values())
    for text in shown.values():
        assert nonce not in text
        assert str(out) not in text
    assert wait_until(lambda: list(temporary.iterdir()) == [])
