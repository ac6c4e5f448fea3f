"""Hostile submissions: each earns nothing, is named for what it did, and leaves the judge alive.

A folder in `hostile/` is one attack. Its first line names the exercise that it attacks and says
what it tries. Those that look for something answer rightly once they found it: an attack that
succeeds scores.
"""

import functools
import io
import os
import re
import shutil
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from grader.judge.failure import SubmissionFailure
from grader.judge.session import Judge
from grader.results import console, gradescope, html, junit
from grader.results.causes import Cause
from grader.results.record import Grade, from_json, to_json
from tests.harness.conftest import CANARY, HOSTILE, REPOSITORY, hidden, processes_of, wait_until

DIED, EXCEPTION, MEMORY, PROTOCOL = Cause.DIED, Cause.EXCEPTION, Cause.MEMORY, Cause.PROTOCOL
IMPORT, NOT_PLAIN, TIMEOUT, WRONG = (
    Cause.IMPORT_FAILED,
    Cause.NOT_PLAIN_DATA,
    Cause.TIMEOUT,
    Cause.WRONG_ANSWER,
)

# What each attack's hidden checks may be told to have failed for. Two, where it is a race.
CAUSES: dict[str, set[Cause]] = {
    # objects that lie
    "always_equal": {NOT_PLAIN},
    "evil_scalars": {NOT_PLAIN},
    "evil_tensor": {NOT_PLAIN},
    "evil_exception": {EXCEPTION, DIED},
    "evil_metaclass": {DIED},
    "nan": {WRONG},
    "nan_batch": {WRONG},
    "huge_answers": {WRONG},
    "too_large": {NOT_PLAIN},
    # patches, and the search for answers
    "patches_everything": {WRONG},
    "patches_the_wire": {PROTOCOL},
    "looks_for_answers": {WRONG},
    "edits_its_caller": {WRONG},
    "rote_answers": {EXCEPTION},
    "shadows_modules": {WRONG},
    # ends
    "os_exit": {DIED},
    "system_exit": {EXCEPTION},
    "exit_at_import": {IMPORT},
    "system_exit_at_import": {IMPORT},
    "crash": {DIED},
    "silent": {DIED},
    # no end
    "endless_call": {TIMEOUT},
    "endless_import": {IMPORT},
    "endless_text": {TIMEOUT},
    "deadlock": {TIMEOUT},
    "recursion": {EXCEPTION},
    # bombs
    "memory_numpy": {MEMORY},
    "memory_torch": {MEMORY},
    "memory_bytes": {MEMORY},
    "memory_shared": {MEMORY},
    "disk_bomb": {EXCEPTION},
    "deep_folders": {WRONG},
    "output_flood": {WRONG},
    "output_forever": {TIMEOUT},
    "descriptor_bomb": {EXCEPTION},
    "fork_bomb": {EXCEPTION},
    # reaching out
    "reads_around": {IMPORT},
    "writes_results": {WRONG},
    "signals": {WRONG},
    "network": {WRONG},
    "unlocks": {WRONG},
    # the channel
    "thread_writes_later": {PROTOCOL, WRONG},
    "frame_before_asked": {WRONG, PROTOCOL},
    "frame_twice": {PROTOCOL},
    "frame_wrong_id": {PROTOCOL},
    "frame_huge": {Cause.TOO_LARGE},
    "frame_counts": {PROTOCOL},
    "frame_deep": {PROTOCOL},
    "frame_garbage": {PROTOCOL},
    "frame_half": {DIED},
    "frame_same_hash": {PROTOCOL},
    "frame_unknown_failure": {PROTOCOL},
    "frame_odd_fields": {EXCEPTION},
    "frame_odd_survey": {IMPORT},
    "frame_odd_parameters": {WRONG, PROTOCOL},
}

NEVER_ENDS = {name for name, causes in CAUSES.items() if TIMEOUT in causes} | {"endless_import"}


def target_of(folder: Path) -> str:
    """The exercise that an attack names in its first line."""
    modules = sorted((folder / "resource_accounting").glob("*.py"))
    (line,) = {path.read_text().splitlines()[0].partition(":")[0] for path in modules}
    return line.removeprefix('"""')


def shown_to_the_student(grade: Grade) -> str:
    """Every output that a student may read, in one text."""
    screen = Console(file=io.StringIO(), width=200)
    screen.print(console.summary(grade))
    assert isinstance(screen.file, io.StringIO)
    return "\n".join(
        [
            screen.file.getvalue(),
            html.to_html(grade),
            junit.to_junit(grade).decode(),
            gradescope.to_gradescope(grade).decode(),
        ]
    )


@functools.cache
def secret_lines() -> set[str]:
    """Lines of the reference's code and of the hidden tests that stand nowhere public."""
    lines: set[str] = set()
    for path in [
        *(REPOSITORY / "solutions" / "resource_accounting").glob("*.py"),
        *(REPOSITORY / "tests" / "hidden").glob("*.py"),
    ]:
        lines.update(line.strip() for line in path.read_text().splitlines())
    public = "\n".join(
        path.read_text()
        for folder in ("assignment", "tests/public", "handout/resource_accounting")
        for path in (REPOSITORY / folder).rglob("*.py")
    )
    own = "\n".join(path.read_text() for path in HOSTILE.rglob("*.py"))
    return {line for line in lines if len(line) > 30 and line not in public and line not in own}


def assert_earns_nothing(grade: Grade, exercise: str, causes: set[Cause]) -> None:
    checks = hidden(grade, exercise)
    assert checks
    assert grade.faults == ()
    assert [(c.test, c.cause) for c in checks if c.cause not in causes] == []
    assert {c.state for c in checks} == {"failed"}
    assert grade.score == 0.0
    assert grade.max_score > 0
    assert from_json(to_json(grade)) == grade


def assert_nothing_left(judge: Judge, before: set[int]) -> None:
    """No process of a worker's lives on, and nothing that it wrote."""
    assert wait_until(lambda: processes_of(judge) == before, 2), processes_of(judge) - before
    if os.getuid() == 0:
        run = Path(f"/proc/{judge.zygote._process.pid}/root{judge.zygote.folder}")
        for place in ("scratch/*", "submissions/*", "exchange/*/*"):
            assert wait_until(lambda p=place: not list(run.glob(p)), 2), place


@contextmanager
def patience(judge: Judge, seconds: float) -> Iterator[None]:
    """Gives a test this long, for attacks that do not wait for the end of their time."""
    usual = judge.manifest
    limits = msgspec.structs.replace(usual.limits, seconds=seconds)
    judge.manifest = msgspec.structs.replace(usual, limits=limits)
    try:
        yield
    finally:
        judge.manifest = usual


@pytest.fixture(scope="module")
def idle(hurried: Judge) -> set[int]:
    """The zygote's processes while no worker lives, once a grading has started all it needs."""
    hurried.grade(HOSTILE / "nan", only=["storage_index", "get_batch"])
    return processes_of(hurried)


def test_every_folder_is_an_attack_in_the_table():
    assert {p.parent.name for p in HOSTILE.glob("*/resource_accounting")} == set(CAUSES)


@pytest.mark.parametrize("name", CAUSES)
def test_attack_earns_nothing_and_leaves_the_judge_alive(hurried, sandboxed, idle, name):
    exercise = target_of(HOSTILE / name)
    with nullcontext() if name in NEVER_ENDS else patience(hurried, 60.0):
        grade = hurried.grade(HOSTILE / name, only=[exercise])
    assert_earns_nothing(grade, exercise, CAUSES[name])
    shown = shown_to_the_student(grade)
    assert CANARY not in shown
    assert "only the judge may read this" not in shown
    assert not [line for line in secret_lines() if line in shown]
    assert_nothing_left(hurried, idle)
    assert sandboxed(good="def f(): return 6").good.f() == 6


def test_judge_that_met_them_all_still_gives_full_marks(hurried, idle):
    grade = hurried.grade(REPOSITORY / "solutions", only=["storage_index", "is_contiguous"])
    assert grade.faults == ()
    assert grade.score == grade.max_score > 0
    assert_nothing_left(hurried, idle)


def test_canary_is_where_it_would_be_found():
    """A test of the tests above: the canary is in the judge, and the secret lines are secret."""
    assert os.environ["HARNESS_CANARY"] == CANARY
    assert len(secret_lines()) > 100


def test_attack_that_finds_something_scores(hurried, tmp_path):
    """A test of the tests above: without the walls around it, a search is rewarded."""
    shutil.copytree(HOSTILE / "looks_for_answers", tmp_path / "in")
    module = tmp_path / "in" / "resource_accounting" / "strides.py"
    module.write_text(module.read_text().replace('"solutions",', '"json",'))
    grade = hurried.grade(tmp_path / "in", only=["storage_index"])
    assert grade.score is not None
    assert grade.score > 0


# --- files beside the package ------------------------------------------------------------------

PASSES_ALL = """
import pytest

@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    report.outcome = "passed"
    report.longrepr = None
"""


def test_plugins_and_shadowing_modules_are_never_loaded(hurried, tmp_path, idle):
    loud = "raise RuntimeError('loaded: " + "a file beside the package')\n" + PASSES_ALL
    beside = {
        "conftest.py": PASSES_ALL,
        "torch.py": loud,
        "pytest.py": loud,
        "numpy/__init__.py": loud,
        "sitecustomize.py": loud,
        "usercustomize.py": loud,
        "evil.pth": "import os; os._exit(0)\n",
        "pytest.ini": "[pytest]\naddopts = -p conftest\n",
        "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-p conftest'\n",
        "setup.cfg": "[tool:pytest]\naddopts = -p conftest\n",
        "tests/hidden/test_strides.py": "def test_nothing():\n    pass\n",
        "assignment/plain.py": loud,
        "grader/wire.py": loud,
        "resource_accounting/conftest.py": PASSES_ALL,
        "resource_accounting/evil.pth": "import os; os._exit(0)\n",
        "resource_accounting/strides.py": "def storage_index(*args):\n    return -1\n",
    }
    for name, text in beside.items():
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_text(text)
    grade = hurried.grade(tmp_path / "in", only=["storage_index"])
    assert_earns_nothing(grade, "storage_index", {WRONG})
    assert "loaded: a file" not in to_json(grade).decode()
    named = "\n".join(grade.left_out)
    for name in beside:
        if name != "resource_accounting/strides.py":
            first = name.split("/")[0]
            assert (name if first == "resource_accounting" else first) in named
    assert_nothing_left(hurried, idle)


# --- one submission and the next ---------------------------------------------------------------


def test_submission_sees_nothing_of_the_one_before(hurried, submit, tmp_path):
    leaves = """
        import os
        for folder in ("/tmp", "/scratch", "/dev/shm"):
            try:
                open(folder + "/left-by-the-first", "w").write("x")
            except OSError:
                pass
        def storage_index(*args):
            return 0
    """
    finds = """
        import os
        found = []
        for place in ("/tmp", "/scratch", "/submission", "/dev"):
            for here, _, files in os.walk(place):
                found += [here] if "left-by-the-first" in files else []
        found += [n for n in os.listdir("/submission") if n != "resource_accounting"]
        if found:
            raise RuntimeError(f"found: {found}")
        def storage_index(*args):
            return 0
    """
    for text in (leaves, finds):
        folder = tmp_path / str(len(text))
        (folder / "resource_accounting").mkdir(parents=True)
        (folder / "resource_accounting" / "strides.py").write_text(textwrap.dedent(text))
        grade = hurried.grade(folder, only=["storage_index"])
        (report,) = [m for m in grade.modules if m.module == "strides"]
        assert report.ok, report.message
        assert_earns_nothing(grade, "storage_index", {WRONG})


CARRIES = """
def storage_index(index, strides, offset=0):
    said = f"carried {list(index)} {list(strides)} {offset}"
    print(said, flush=True)
    raise type(said, (KeyError,), {})(said)
"""


def test_hidden_inputs_are_not_carried_out(hurried, submit):
    """Neither by what a submission prints, nor by an exception's text or class."""
    grade = hurried.grade(submit(strides=CARRIES), only=["storage_index"])
    said = {
        visibility: {
            line
            for check in grade.checks
            if check.visibility == visibility
            for line in re.findall(r"carried \[.*\] \d+", check.detail or "")
        }
        for visibility in ("public", "hidden")
    }
    shown = shown_to_the_student(grade)
    assert len(said["hidden"] - said["public"]) >= 3, "staff see it"
    assert not [line for line in said["hidden"] - said["public"] if line in shown]
    assert all(line in shown for line in said["public"]), "and of public tests, the student too"


def test_answer_before_the_question_is_never_read(sandboxed):
    """However well its number was guessed."""
    implementation = sandboxed(
        probe="import os, sys\n"
        "from grader import wire\n"
        "def f():\n"
        "    caller = sys._getframe(1)\n"
        "    while 'channel' not in caller.f_locals:\n"
        "        caller = caller.f_back\n"
        "    local = caller.f_locals\n"
        "    forged = b''\n"
        "    for number in (local['call_id'], local['call_id'] + 1):\n"
        "        parts = wire.encode(number, {'result': 'forged'})\n"
        "        forged += b''.join(bytes(part) for part in parts)\n"
        "    os.write(local['channel'], forged)  # at once, so both lie there\n"
        "    return 'honest'\n"
    )
    assert implementation.probe.f() == "forged"  # its own answer: any value is as good
    with pytest.raises(SubmissionFailure) as caught:
        implementation.probe.f()
    assert caught.value.cause is PROTOCOL


def test_peak_of_a_process_that_is_gone_is_its_own_fault(sandboxed):
    """Whoever dies after an answer cannot be measured: that must not read as "took nothing"."""
    implementation = sandboxed(
        probe="import os, threading\n"
        "def f():\n"
        "    threading.Timer(0.05, os._exit, [0]).start()\n"
        "    return bytes(100)\n"
    )
    assert implementation.probe.f() == bytes(100)
    pid = implementation._worker.pid
    assert wait_until(lambda: "VmHWM" not in Path(f"/proc/{pid}/status").read_text())
    with pytest.raises(SubmissionFailure) as caught:
        implementation.peak_rss()
    assert caught.value.cause is DIED
