"""`grader doctor` says whether syncs and renames can be watched.

What it says of tiers is in `hostile/test_tiers.py`.
"""

import compileall
import io
import json
import subprocess
import sys

from rich.console import Console

from grader.doctor import machine
from tests.harness.conftest import MAX_WAIT, REPOSITORY

# As in a container whose engine watches system calls itself: the kernel allows one listener.
WATCHED = """
import socket
import sys

from grader.cli import main
from grader.worker import looks

ours, theirs = socket.socketpair()
looks.announce_to("syncs", theirs.detach())
sys.argv = ["grader", "doctor", "--json"]
main()
"""


def test_machine_that_grades_here_can_watch():
    assert machine.why_unwatched() == ""


def test_machine_where_nothing_can_be_watched_is_refused():
    for package in ("grader", "assignment"):  # else a rename of a .pyc waits for us for ever
        compileall.compile_dir(REPOSITORY / package, quiet=2)
    done = subprocess.run(
        [sys.executable, "-c", WATCHED],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=MAX_WAIT,
    )
    assert done.returncode == 3, done.stderr
    found = json.loads(done.stdout)
    assert found["tier"]
    assert "busy" in found["unwatched"]


def test_reports_name_what_cannot_be_watched():
    found = machine.Diagnosis("A", {}, "[Errno 16] Device or resource busy", {})
    console = Console(width=400, file=io.StringIO())
    console.print(machine.report(found))
    text = console.file.getvalue()
    assert text.startswith("No grade would have a score here")
    assert text.count("resource busy") == 2
    assert not found.works
    assert machine.Diagnosis("A", {}, "", {}).works
