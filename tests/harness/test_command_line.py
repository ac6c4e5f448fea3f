"""What other users of the machine read of a process's command line."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness.conftest import REPOSITORY

PROGRAM = """
import sys
from pathlib import Path
from grader.command_line import overwrite
overwrite({!r})
print(repr(Path("/proc/self/cmdline").read_bytes().rstrip(b"\\0")), sys.argv[1:])
"""


@pytest.mark.parametrize("title", ["grader grade", "long " * 1000])
def test_command_line_is_overwritten_and_python_keeps_its_own(title):
    command = [sys.executable, "-c", PROGRAM.format(title), "--nonce", "5eed"]
    env = {"SECRET": "in the environment"}
    done = subprocess.run(command, cwd=REPOSITORY, env=env, capture_output=True, text=True)
    shown = repr(title.encode()[: sum(len(part) + 1 for part in command) - 1])
    assert done.stdout == f"{shown} ['--nonce', '5eed']\n", done.stderr


def test_zygote_shows_no_path(quick_grader):
    quick_grader.zygote.wait()
    shown = Path(f"/proc/{quick_grader.zygote._process.pid}/cmdline").read_bytes()
    assert shown.rstrip(b"\0") == b"grader zygote"
