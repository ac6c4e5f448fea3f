"""A grading that is ended by a signal leaves nothing behind, whatever it was doing."""

import os
import signal
import textwrap

import pytest

from tests.harness import warm
from tests.harness.conftest import keep_tests
from tests.harness.container import FOR_TESTS, copy_of_repository
from tests.harness.processes import assert_none_but, descendants, reaper

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
    # One core, so one lane: the other one is a process of its own, and could take every test.
    if where != "Zygote.fork":  # which makes it
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    # Ignored under nohup, or in the background of a shell without job control.
    signal.signal(number, signal.SIG_DFL)
    sys.argv = ["grader", "grade", sys.argv[4], "--out", sys.argv[5]]
    sys.setprofile(watch)
    main()
    """
)
MOMENTS = [
    ("Cleanup.__init__", "return", "SIGTERM"),  # the folder has a name but does not exist yet
    ("first_uid", "call", "SIGTERM"),  # the zygote's process runs and has received nothing
    ("_receive", "call", "SIGHUP"),  # another process reads the submission
    ("GradedImplementation.call", "call", "SIGINT"),
]
if "FAULTS" in os.environ:  # The campaign `faults` only: each takes seconds
    MOMENTS += [
        ("Zygote.__init__", "call", "SIGTERM"),
        ("Control.send", "return", "SIGTERM"),
        ("read", "call", "SIGTERM"),
        ("_load_libraries", "call", "SIGTERM"),
        ("load_torch", "call", "SIGINT"),  # the signal waits: torch's import would abort
        ("_Plugin.pytest_collection_modifyitems", "call", "SIGTERM"),
        ("Zygote.wait", "return", "SIGTERM"),
        ("Zygote.fork", "return", "SIGTERM"),
        ("compile_ahead", "call", "SIGTERM"),
        ("Worker.kill", "call", "SIGTERM"),
        ("write_all", "call", "SIGTERM"),
    ]


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """A copy of the repository with the tests of one chapter."""
    folder = tmp_path_factory.mktemp("repository")
    copy_of_repository(folder, *FOR_TESTS)
    keep_tests(folder, ["strides"])
    return folder


@pytest.fixture(scope="module")
def submission(tmp_path_factory):
    """A submission of one function, so that a grading is short."""
    package = tmp_path_factory.mktemp("submission") / "resource_accounting"
    package.mkdir()
    (package / "strides.py").write_text("def row_major_strides(shape):\n    return ()\n")
    return package.parent


@pytest.mark.parametrize(("where", "event", "name"), MOMENTS)
def test_a_signal_leaves_nothing_behind(repository, submission, tmp_path, where, event, name):
    """No folder, no process and no grade is left, and Ctrl-C ends a shell's loop, too"""
    (temporary := tmp_path / "temporary").mkdir()
    warm.server()
    before = descendants(os.getpid())
    arguments = (where, event, name, str(submission), str(tmp_path / "out"))
    env = {**os.environ, "TMPDIR": str(temporary)}
    done = warm.run("-c", DRIVER, *arguments, cwd=repository, env=env)
    assert f"stopped by {name} before there was a grade" in done.stderr
    assert done.returncode == (-signal.SIGINT if name == "SIGINT" else 3)
    assert list(temporary.iterdir()) == []
    assert not (tmp_path / "out" / "grade.json").exists()
    assert_none_but(before)
