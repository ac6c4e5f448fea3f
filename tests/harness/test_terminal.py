"""What a command prints when it fails changes nothing in a terminal, whatever files are called."""

import subprocess
import sys

import pytest
import typer

from grader.terminal import fail
from tests.harness.conftest import REPOSITORY

NAME = "a\x1b]0;title\x07b\x9b2Jc\rd\u202ee"
SHOWN = "a?]0;title?b?2Jc?d?e"


def test_failure_prints_no_terminal_sequences(capsys):
    with pytest.raises(typer.Exit) as caught:
        fail(3, f"cannot write {NAME}\n[red]second line[/red]")
    assert caught.value.exit_code == 3
    assert capsys.readouterr().err == f"cannot write {SHOWN}\n[red]second line[/red]\n"


def test_unexpected_exception_ends_the_command_with_status_3():
    code = (
        "import grader.cli as cli\n"
        f"def broken(): raise OSError({NAME!r})\n"
        "cli.build_app = lambda: broken\n"
        "cli.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    assert done.returncode == 3
    assert f"OSError: {SHOWN}\n" in done.stderr
    assert done.stderr.replace("\n", "").isprintable()
    assert done.stderr.endswith("a fault of the grader, not of the submission\n")
