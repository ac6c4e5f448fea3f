"""A grading that is ended by a signal leaves nothing behind, whatever it was doing."""

import os
import textwrap
from pathlib import Path

import pytest

from tests.harness import warm
from tests.harness.conftest import REPOSITORY, wait_until
from tests.harness.processes import descendants, reap_orphans, reaper

__all__ = ["reaper"]  # a fixture of this module, too

# Grades, and sends itself a signal when a given function is called, or when it returns.
DRIVER = textwrap.dedent(
    """
    import os, signal, sys

    where, event, number = sys.argv[1], sys.argv[2], getattr(signal, sys.argv[3])

    def watch(frame, what, _):
        code = frame.f_code
        if what == event and code.co_qualname == where and "grader" in code.co_filename:
            sys.setprofile(None)
            os.kill(os.getpid(), number)

    from grader.cli import main
    signal.signal(number, signal.SIG_DFL)  # under nohup SIGHUP is ignored
    sys.argv = ["grader", "grade", sys.argv[4], "--out", sys.argv[5]]
    sys.setprofile(watch)
    main()
    """
)
MOMENTS = [
    ("Cleanup.__init__", "return"),  # the folder has a name but does not exist yet
    ("first_uid", "call"),  # the zygote's process runs and has received nothing
    ("_receive", "call"),  # another process reads the submission
    ("GradedImplementation.call", "call"),
]
if "FAULTS" in os.environ:  # `make faults` only: each takes seconds
    MOMENTS += [
        ("Zygote.__init__", "call"),
        ("Control.send", "return"),
        ("stage", "call"),
        ("_load_libraries", "call"),
        ("GraderPlugin.pytest_collection_modifyitems", "call"),
        ("Zygote.wait", "return"),
        ("Zygote.fork", "return"),
        ("compile_ahead", "call"),
        ("Worker.kill", "call"),
        ("write_all", "call"),
    ]


@pytest.fixture(scope="module")
def submission(tmp_path_factory):
    """A submission of one function, so that a grading is short."""
    package = tmp_path_factory.mktemp("submission") / "resource_accounting"
    package.mkdir()
    (package / "strides.py").write_text("def row_major_strides(shape):\n    return ()\n")
    return package.parent


def assert_stops_cleanly(submission: Path, place: Path, where: str, event: str, name: str) -> None:
    """Asserts exit status 3, and that no folder, no process and no grade is left."""
    (temporary := place / "temporary").mkdir()
    warm.server()
    before = descendants(os.getpid())
    arguments = (where, event, name, str(submission), str(place / "out"))
    env = {**os.environ, "TMPDIR": str(temporary)}
    done = warm.run("-c", DRIVER, *arguments, cwd=REPOSITORY, env=env)
    assert f"stopped by {name} before there was a grade" in done.stderr
    assert done.returncode == 3
    assert list(temporary.iterdir()) == []
    assert not (place / "out" / "grade.json").exists()

    def gone() -> bool:
        reap_orphans(0)
        return descendants(os.getpid()) <= before

    assert wait_until(gone), descendants(os.getpid()) - before


@pytest.mark.parametrize(("where", "event"), MOMENTS)
def test_a_signal_leaves_nothing_behind(submission, tmp_path, where, event):
    assert_stops_cleanly(submission, tmp_path, where, event, "SIGTERM")


def test_other_signals_have_the_same_effect(submission, tmp_path):
    assert_stops_cleanly(submission, tmp_path, "stage", "call", "SIGHUP")
