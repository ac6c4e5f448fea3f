"""The command line: exit statuses, written files, printed text."""

import json
import re
import stat
import subprocess
import sys
from collections import defaultdict

import pytest
from typer.testing import CliRunner

from assignment import manifest
from grader import cli, trace
from grader.authoring import campaign_commands
from grader.faults import GraderFault
from grader.isolation import TIERS, CannotIsolate
from grader.judge.grader import Grader
from grader.results.record import from_json
from grader.results.write import OUTPUTS
from tests.harness.conftest import REPOSITORY

REFERENCE = REPOSITORY / "solutions" / "resource_accounting"
KEPT = ("bytes_per_element", "storage_index")
FULL = sum(manifest.load()[exercise].points for exercise in KEPT)


@pytest.fixture
def short(monkeypatch):
    """Only two exercises, so that a grading is fast."""
    grade = Grader.grade
    monkeypatch.setattr(
        Grader, "grade", lambda self, *a, **k: grade(self, *a, **{**k, "only": KEPT})
    )


@pytest.fixture
def started(short, quick_grader, monkeypatch):
    """A grader that is already started; tests of start and end do not use it."""

    class Started:
        grade = staticmethod(lambda *a, **k: quick_grader.grade(*a, **k))
        __enter__ = __exit__ = lambda *arguments: None

    monkeypatch.setattr(cli, "Grader", lambda *_, **__: Started())


def grade(*arguments):
    return CliRunner().invoke(cli.build_app(), ["grade", *map(str, arguments)])


def submission(folder, **extra):
    package = folder / "in" / "resource_accounting"
    package.mkdir(parents=True)
    for name in ("dtypes", "strides"):
        text = (REFERENCE / f"{name}.py").read_text() + extra.get(name, "")
        (package / f"{name}.py").write_text(text)
    return folder / "in"


def test_grade_writes_every_output_and_exits_0(started, tmp_path):
    result = grade(submission(tmp_path), "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert {p.name for p in (tmp_path / "out").iterdir()} == {
        "grade.json",
        "results.json",
        "report.html",
        "junit.xml",
    }
    record = from_json((tmp_path / "out" / "grade.json").read_bytes())
    assert record.score == record.max_score == FULL
    assert record.isolation.tier in TIERS
    assert stat.S_IMODE((tmp_path / "out" / "grade.json").stat().st_mode) == 0o600
    assert json.loads((tmp_path / "out" / "results.json").read_bytes())["score"] == FULL
    assert record.nonce in result.output


def test_trace_has_each_test_and_the_life_of_each_worker(started, tmp_path, monkeypatch):
    monkeypatch.setattr(trace, "_file", None)  # and again, at the end of this test
    place = tmp_path / "trace"
    result = grade(submission(tmp_path), "--out", tmp_path / "out", "--trace", place)
    assert result.exit_code == 0, result.output
    events = re.findall(
        r"^ *[\d.]+ s  judge \d+(?:  worker (\d+))?  (.*)$", place.read_text(), re.M
    )
    assert len(events) == len(place.read_text().splitlines())
    record = from_json((tmp_path / "out" / "grade.json").read_bytes())
    said = [text.partition(" ")[0] for worker, text in events if not worker]
    assert said.count("test") == said.count("passed")
    tests = {
        text for worker, text in events if text.startswith("test ")
    }  # a batch's last runs twice
    assert len(tests) == len(record.checks)
    lives = defaultdict(list)
    for worker, text in events:
        lives[worker].append(text)
    del lives[""]
    assert any("call strides.storage_index" in life for life in lives.values())
    for life in lives.values():
        assert life[:2] == ["forked", "locked down"]
        assert life[-1].startswith("killed, charged ")
        if len(life) > 3:  # others were spare
            assert life[2] == "go"
            assert set(life[4:-1:2]) == {"done"}, life


def test_device_that_was_not_used_is_named(started, tmp_path, monkeypatch):
    """Once a machine without nvidia-ml-py looked as if it had no device"""
    monkeypatch.setattr(cli, "why_unused", lambda: "nvidia-ml-py is not installed")
    result = grade(submission(tmp_path), "--out", tmp_path / "out")
    assert "device of this machine was not used: nvidia-ml-py is not" in " ".join(
        result.output.split()
    )


def test_mark_of_zero_exits_0(started, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "strides.py").write_text("def storage_index(*args):\n    return None\n")
    result = grade(tmp_path / "in", "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert from_json((tmp_path / "out" / "grade.json").read_bytes()).score == 0


def test_public_tests_alone_hold_no_hidden_check(started, tmp_path):
    result = grade(submission(tmp_path), "--out", tmp_path / "out", "--tests", "public")
    assert result.exit_code == 0, result.output
    record = from_json((tmp_path / "out" / "grade.json").read_bytes())
    assert record.tests == "public"
    assert {c.visibility for c in record.checks} == {"public"}
    assert record.score == FULL


# Correct for about half of all inputs; the nonce decides for which.
FICKLE = """
_right = storage_index
def storage_index(index, strides, offset=0):
    answer = _right(index, strides, offset)
    if answer % 3 == 0:
        raise KeyError(f"asked: {list(index)} {list(strides)} {offset}")
    return answer
"""


def test_nonce_repeats_the_inputs_and_the_states(started, tmp_path):
    folder = submission(tmp_path, strides=FICKLE)
    runs = []
    for i, options in enumerate((["--nonce", "abc"], ["--nonce", "abc"], ["--nonce", "other"])):
        result = grade(folder, "--out", tmp_path / f"out{i}", *options)
        assert result.exit_code == 0, result.output
        record = from_json((tmp_path / f"out{i}" / "grade.json").read_bytes())
        assert record.nonce == options[1]
        asked = [
            (c.test, [line for line in (c.detail or "").splitlines() if "asked:" in line])
            for c in record.checks
        ]
        runs.append(([(c.test, c.state, c.cause, c.points) for c in record.checks], asked))
    assert runs[0] == runs[1]
    assert any(lines for _, lines in runs[0][1])
    assert runs[0][1] != runs[2][1]


@pytest.mark.parametrize("data", [None, b"", b"PK\x03\x04broken", b"text"])
def test_unreadable_submission_exits_2_and_writes_nothing(started, tmp_path, data):
    path = tmp_path / "in.zip"
    if data is not None:
        path.write_bytes(data)
    result = grade(path, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "in.zip" in result.output.replace("\n", "")
    assert "Traceback" not in result.output
    assert not (tmp_path / "out").exists()


def test_refusal_leaves_no_older_result_and_a_mistyped_path_does(started, tmp_path):
    """It would be taken for the mark of what was refused"""
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    for name in (*OUTPUTS, "notes.txt"):
        (tmp_path / "out" / name).touch()
    for folder, left in (("mistyped", {*OUTPUTS, "notes.txt"}), ("in", {"notes.txt"})):
        assert grade(tmp_path / folder, "--out", tmp_path / "out").exit_code == 2
        assert {path.name for path in (tmp_path / "out").iterdir()} == left


# Runs the command in its arguments, and prints which modules it loaded and what it started.
WATCHED = """
import sys
started = []
def watch(event, arguments):
    if event in ("subprocess.Popen", "os.fork", "os.posix_spawn", "os.exec"):
        started.append(event)
sys.addaudithook(watch)
from grader.cli import main
try:
    main()
finally:
    heavy = {"torch", "numpy", "pytest"} & set(sys.modules)
    print("loaded", sorted(heavy), "started", started)
"""


def watched(*arguments):
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, *map(str, arguments)],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout, done.stderr


def test_missing_path_fails_before_anything_is_loaded_or_started(tmp_path):
    status, said, complaint = watched("grade", tmp_path / "nowhere", "--out", tmp_path / "out")
    assert status == 2
    assert said == "loaded [] started []\n"
    assert complaint == (
        f"{tmp_path}/nowhere does not exist; expected a folder, zip or tar (.gz, .bz2 or .xz) that "
        "holds resource_accounting/\n"
    )


def test_refusal_loads_nothing_and_starts_only_what_reads(tmp_path):
    (tmp_path / "in").mkdir()
    status, said, _ = watched("grade", tmp_path / "in", "--out", tmp_path / "out")
    assert status == 2
    assert said == "loaded [] started ['os.fork']\n"


@pytest.mark.parametrize(
    "name", ["\nUsage: x", "x" * 70 + " Usage: y", "\x1b[2JUsage", "\x1b]0;Usage\x07"]
)
def test_refusal_is_one_line_whatever_the_file_names(started, tmp_path, name):
    """`run_autograder` treats a line that begins with Usage as a mistake in its own call"""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / name).touch()
    result = grade(tmp_path / "in", "--out", tmp_path / "out")
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert line.startswith(str(tmp_path))
    assert line.isprintable()
    assert "Usage" in line


@pytest.fixture
def mistaken(tmp_path, monkeypatch):
    """Replaces the manifest by a changed copy: `mistaken(old, new, more)`."""
    ours = manifest.MANIFEST.read_text(encoding="utf-8")

    def change(old, new, more=""):
        assert ours.count(old) == 1
        text = ours.replace(old, new) + more
        (tmp_path / "assignment.toml").write_text(text, encoding="utf-8")
        monkeypatch.setattr(manifest, "MANIFEST", tmp_path / "assignment.toml")
        manifest.load.cache_clear()
        return text

    yield change
    manifest.load.cache_clear()


COMMANDS = [
    ["grade", "tests/submissions/half_finished"],
    ["author", "verify"],
    ["author", "mutate"],
    ["author", "handout", "--check"],
    ["author", "site"],
    ["pack", "gradescope"],
    ["pack", "docker"],
]
every_command = pytest.mark.parametrize("command", COMMANDS, ids=" ".join)


def refusal(command, out, monkeypatch, capsys):
    """Runs a command that must end with the status of an author's mistake; returns its message."""
    has_out = command[0] != "author" or command[1] == "site"
    options = ["--out", str(out)] if has_out else []
    monkeypatch.setattr(sys, "argv", ["grader", *command, *options])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == cli.BAD_ASSIGNMENT == 4
    assert not out.exists()
    authors, place, said = capsys.readouterr().err.partition("assignment/assignment.toml:")
    assert authors == "a mistake of the assignment's author, not of a submission: "
    return place + said


@every_command
def test_every_command_refuses_a_mistaken_manifest(
    mistaken, tmp_path, monkeypatch, capsys, command
):
    """In one line, as the author's mistake, with its own exit status"""
    text = mistaken("seconds = 10 ", "seconds = -10 ")
    line = 1 + text[: text.index("seconds = -10")].count("\n")
    assert refusal(command, tmp_path / "out", monkeypatch, capsys) == (
        f"assignment/assignment.toml:{line}: limits.seconds: expected `float` > 0.0, got -10\n"
    )


@pytest.mark.parametrize("command", ["verify", "mutate", "handout"])
def test_commands_name_packages_that_grading_does_not_install(monkeypatch, command):
    monkeypatch.setattr(campaign_commands, "find_spec", lambda name: None)
    result = CliRunner().invoke(cli.build_app(), ["author", command])
    assert result.exit_code == cli.FAULT == 3
    assert "not installed: libcst" in result.output
    assert "`make .venv/dev` installs this" in result.output


UNTESTED = """
[[exercise]]
id = "untested"
title = "No test names it"
chapter = "dtypes"
functions = ["dtypes.tensor_bytes"]
points = 1
hint = "h"
"""


@every_command
def test_every_command_refuses_an_exercise_without_tests(
    mistaken, tmp_path, monkeypatch, capsys, command
):
    text = mistaken("\npoints = 100 ", "\npoints = 101 ", UNTESTED)
    line = text[: text.index('id = "untested"')].count("\n")
    assert refusal(command, tmp_path / "out", monkeypatch, capsys) == (
        f"assignment/assignment.toml:{line}: exercise 'untested' has no test in tests/hidden; add "
        'one that is marked @pytest.mark.exercise("untested"), or take the exercise out\n'
    )


@pytest.mark.parametrize(
    "options",
    [
        ["--tests", "some"],
        ["--timing", "yes"],
        ["--min-tier", "Z"],
        ["--nope"],
        ["--tests", "public", "--timing", "require"],
    ],
)
def test_option_that_cannot_be_exits_2(started, tmp_path, options):
    (tmp_path / "in").mkdir()
    result = grade(tmp_path / "in", "--out", tmp_path / "out", *options)
    assert result.exit_code == 2
    assert not (tmp_path / "out").exists()


def test_folder_for_results_may_look_like_markup(started, tmp_path):
    result = grade(submission(tmp_path), "--out", tmp_path / "out[a" / "b]")
    assert result.exit_code == 0
    assert (tmp_path / "out[a" / "b]" / "grade.json").is_file()


@pytest.mark.parametrize("error", [CannotIsolate("no namespaces"), GraderFault("a fault")])
def test_fault_of_the_grader_exits_3(started, tmp_path, monkeypatch, error):
    def fail(self, *arguments, **options):
        raise error

    monkeypatch.setattr(Grader, "grade", fail)
    result = grade(submission(tmp_path), "--out", tmp_path / "out")
    assert result.exit_code == 3
    assert str(error) in result.output
    assert not (tmp_path / "out").exists()


def test_fault_in_a_check_exits_3_and_gives_no_score(started, tmp_path, monkeypatch):
    from grader.judge.implementation import GradedImplementation

    def fail(self, *arguments, **options):
        raise GraderFault("the disk is on fire")

    monkeypatch.setattr(GradedImplementation, "_ask", fail)
    result = grade(submission(tmp_path), "--out", tmp_path / "out")
    assert result.exit_code == 3, result.output
    record = from_json((tmp_path / "out" / "grade.json").read_bytes())
    assert record.score is None
    assert {c.state for c in record.checks} == {"not_run"}
    assert not (tmp_path / "out" / "results.json").exists()


def test_every_output_says_unsafe(short, tmp_path):
    result = grade(submission(tmp_path), "--out", tmp_path / "out", "--unsafe")
    assert result.exit_code == 0, result.output
    record = from_json((tmp_path / "out" / "grade.json").read_bytes())
    assert record.isolation.tier == "none"
    assert "UNSAFE" in result.output
    for name in ("results.json", "report.html", "junit.xml"):
        assert "UNSAFE" in (tmp_path / "out" / name).read_text(), name
