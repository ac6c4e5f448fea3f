"""The packed grader: its files, and that it grades as Gradescope requires."""

import importlib.metadata
import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest
from typer.testing import CliRunner

from assignment import manifest
from grader import cli
from grader.judge.failure import GraderFault
from grader.pack import docker, files, gradescope, rehearsal
from grader.results.causes import Cause
from grader.results.record import Check, Grade, Isolation
from tests.harness import container
from tests.harness.conftest import REPOSITORY, keep_chapters

HALF = REPOSITORY / "tests" / "harness" / "submissions" / "half_finished"
SCRIPTS = {"setup.sh", "run_autograder"}
FOLDERS = {
    *("assignment", "assignment/scenarios", "assignment/programs"),
    *("solutions", "solutions/resource_accounting", "solutions/naive/resource_accounting"),
    *("tests/public", "tests/hidden", "tests/timing"),
    *("grader", "grader/judge", "grader/judge/timing", "grader/worker", "grader/results"),
}
needs_root = pytest.mark.skipif(
    os.getuid() != 0, reason="Gradescope runs it as root, and only root may mount /autograder"
)
# "no-landlock" is tier B-; only `make attack` tries it.
PROFILES = ("docker", "no-landlock") if "ALL_ATTACKS" in os.environ else ("docker",)


def opened(data):
    return zipfile.ZipFile(io.BytesIO(data))


def copied(folder):
    """A checkout that a test may change."""
    root = folder / "checkout"
    for name, content in files.contents().items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    return root


# --- the list ------------------------------------------------------------------------------------


def test_contents_are_only_what_grading_needs():
    packed = files.contents()
    assert {str(Path(name).parent) for name in packed} == {".", "tests", *FOLDERS}
    assert {n for n in packed if "/" not in n} == {"pyproject.toml", "constraints.txt"}
    assert {Path(n).suffix for n in packed} == {".py", ".toml", ".ini", ".html", ".txt"}
    for folder in FOLDERS:
        ours = {f"{folder}/{p.name}" for p in (REPOSITORY / folder).glob("*.py")}
        assert ours <= packed.keys()
    assert all(packed[name] == (REPOSITORY / name).read_bytes() for name in packed)


def test_other_files_of_the_checkout_stay_out(tmp_path):
    root = copied(tmp_path)
    before = files.contents(root)
    for name in (
        ".git/config",
        ".venv/bin/python",
        "handout/README.md",
        "solutions/wrong/adamw_no_decay.py",
        "solutions/equivalent_mutants.toml",
        "assignment/__pycache__/plain.cpython-311.pyc",
        "assignment/writeup/index.md",
        "grader/README.md",
        "grader/authoring/verify.py",
        "grader/pack/files.py",
        "tests/harness/pack/test_pack.py",
        "tests/hidden/.test_strides.py.swp",
        "out/grade.json",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x")
    assert files.contents(root) == before


def test_missing_and_linked_files_are_refused(tmp_path):
    root = copied(tmp_path)
    path = root / "tests" / "hidden" / "test_strides.py"
    path.unlink()
    path.symlink_to(root / "pyproject.toml")
    with pytest.raises(files.PackError, match=r"test_strides\.py is not a regular file"):
        files.contents(root)
    shutil.rmtree(path.parent)
    with pytest.raises(files.PackError, match=r"tests/hidden/\*\.py; pack from a whole checkout"):
        files.contents(root)


# --- the zip -------------------------------------------------------------------------------------


def test_zip_has_the_list_and_two_scripts_with_the_same_bytes_each_time(tmp_path):
    data = gradescope.pack()
    root = copied(tmp_path)
    for path in root.rglob("*"):
        os.utime(path, (1e9, 1e9))
        path.chmod(0o755)
    assert gradescope.pack(root=root) == data
    with opened(data) as archive:
        assert archive.testzip() is None
        entries = archive.infolist()
        assert [e.filename for e in entries] == sorted({*files.contents(), *SCRIPTS})
        assert {e.date_time for e in entries} == {(1980, 1, 1, 0, 0, 0)}
        modes = {e.filename: e.external_attr >> 16 for e in entries}
    assert {name for name, mode in modes.items() if mode == 0o100755} == SCRIPTS
    assert set(modes.values()) == {0o100755, 0o100644}


@pytest.mark.parametrize("tool", [["bash", "-n"], ["shellcheck"]], ids=["bash", "shellcheck"])
def test_scripts_pass_the_linter(tmp_path, tool):
    if shutil.which(tool[0]) is None:
        pytest.skip(f"{tool[0]} is not installed")
    with opened(gradescope.pack(extra_index="https://example.org/a b'c")) as archive:
        archive.extractall(tmp_path)
    for name in SCRIPTS:
        text = (tmp_path / name).read_text()
        assert text.startswith("#!/usr/bin/env bash\n")
        assert "\r" not in text
        done = subprocess.run([*tool, tmp_path / name], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def test_options_go_into_the_scripts():
    with opened(gradescope.pack(minutes=40, extra_index="https://example.org/cpu")) as archive:
        assert b"\nlimit=2400 " in archive.read("run_autograder")
        assert b"\nextra_index=https://example.org/cpu " in archive.read("setup.sh")
    with pytest.raises(files.PackError, match="https://"):
        gradescope.pack(extra_index="cpu")


def graded(score, *checks):
    """The grade of a reference."""
    return Grade(
        submission="solutions",
        score=score,
        max_score=manifest.load().points,
        isolation=Isolation(tier="A", probes={}),
        nonce="",
        tests="all",
        checks=checks,
        exercises=(),
        modules=(),
    )


@pytest.fixture
def full_marks(monkeypatch):
    """Skips the grading of the reference, which other tests check."""
    monkeypatch.setattr(rehearsal, "grade_packed", lambda _: graded(manifest.load().points))


def test_commands_write_what_is_packed(full_marks, tmp_path):
    out = tmp_path / "new" / "a.zip"
    result = CliRunner().invoke(cli.build_app(), ["pack", "gradescope", "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert out.read_bytes() == gradescope.pack()
    assert out.stat().st_mode & 0o777 == 0o600  # the hidden tests are in it
    folder = tmp_path / "context"
    for _ in range(2):  # the second time over the first
        result = CliRunner().invoke(cli.build_app(), ["pack", "docker", "--out", str(folder)])
        assert result.exit_code == 0, result.output
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("kind", ["gradescope", "docker"])
def test_commands_pack_nothing_without_full_marks(monkeypatch, tmp_path, kind):
    """As a mistake of the assignment's author"""
    check = Check(
        exercise="storage_index",
        test="test_strides::test_rule",
        title="A rule",
        state="failed",
        points=0,
        max_points=1,
        cause=Cause.WRONG_ANSWER,
    )
    monkeypatch.setattr(rehearsal, "grade_packed", lambda _: graded(99.5, *[check] * 7))
    result = CliRunner().invoke(cli.build_app(), ["pack", kind, "--out", str(tmp_path / "out")])
    assert result.exit_code == 4
    assert (
        "a mistake of the assignment's author, not of a submission: nothing is packed: graded with "
        "it, the reference gets 99.5 of 100 points, where 100 are declared\n"
        "  test_strides::test_rule failed: wrong_answer\n"
    ) in result.output
    assert "  and 2 more\n" in result.output
    assert not (tmp_path / "out").exists()


def test_commands_pack_nothing_where_nothing_can_be_graded(monkeypatch, tmp_path):
    def fail(_):
        raise GraderFault("no tier")

    monkeypatch.setattr(rehearsal, "grade_packed", fail)
    result = CliRunner().invoke(cli.build_app(), ["pack", "docker", "--out", str(tmp_path / "out")])
    assert (result.exit_code, result.output) == (3, "no tier\n")
    assert not (tmp_path / "out").exists()


def test_commands_refuse_an_output_path_in_use(full_marks, tmp_path):
    (tmp_path / "thesis.tex").touch()
    for arguments in (
        ["docker", "--out", str(tmp_path)],
        ["docker", "--out", str(tmp_path / "thesis.tex")],
        ["gradescope", "--out", str(tmp_path)],
        ["gradescope", "--out", str(tmp_path / "a.zip"), "--extra-index", "cpu"],
    ):
        result = CliRunner().invoke(cli.build_app(), ["pack", *arguments])
        assert result.exit_code == 2, arguments
        assert "Traceback" not in result.output
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.tex"]


# --- the reference, graded with the packed files -------------------------------------------------


@pytest.fixture(scope="module")
def one_chapter():
    """The packed files, reduced to the exercises of `dtypes`, which are graded in seconds."""
    packed = dict(files.contents())
    name = "assignment/assignment.toml"
    packed[name] = keep_chapters(packed[name].decode(), ["dtypes"]).encode()
    return {
        name: data
        for name, data in packed.items()
        if not name.startswith("tests/") or name.endswith(("/test_dtypes.py", "conftest.py"))
    }


def test_reference_gets_full_marks_with_what_is_packed(one_chapter):
    rehearsal.check(one_chapter)


def test_reference_that_fails_its_tests_is_not_packed(one_chapter):
    name = "solutions/resource_accounting/dtypes.py"
    wrong = b"\n\ndef bytes_per_element(dtype):\n    return 4\n"
    with pytest.raises(rehearsal.RehearsalError) as caught:
        rehearsal.check(one_chapter | {name: one_chapter[name] + wrong})
    assert re.search(
        r"the reference gets \d\S* of 6 points, where 6 are declared", str(caught.value)
    )
    assert "\n  test_dtypes::test_" in str(caught.value)


def test_test_of_an_unknown_exercise_is_not_packed(one_chapter):
    name = "tests/hidden/test_dtypes.py"
    renamed = one_chapter[name].replace(b'exercise("tensor_bytes")', b'exercise("tensor_byte")')
    with pytest.raises(
        rehearsal.RehearsalError, match=r"test_dtypes\.py:\d+: expected the id of an"
    ):
        rehearsal.check(one_chapter | {name: renamed})


def test_pack_that_lacks_a_file_is_a_fault(one_chapter):
    """Files that it lacks are not taken from the checkout"""
    lacking = {n: data for n, data in one_chapter.items() if n != "grader/judge/score.py"}
    with pytest.raises(GraderFault, match=r"No module named 'grader\.judge\.score'"):
        rehearsal.check(lacking)


COMMANDS = """
import typer
from grader import cli
print(*typer.main.get_command(cli.build_app()).commands)
"""


def commands_in(folder):
    """The commands that the grader in a folder offers."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", COMMANDS],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_packed_grader_offers_only_the_commands_that_it_can_run(tmp_path):
    for name, data in files.contents().items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    assert commands_in(tmp_path) == ["grade", "doctor"]
    assert {"verify", "handout", "pack"} < set(commands_in(REPOSITORY))
    (tmp_path / "grader" / "authoring" / "__pycache__").mkdir(parents=True)
    assert commands_in(tmp_path) == ["grade", "doctor"]


# --- the build context ---------------------------------------------------------------------------


def test_context_is_the_list_and_a_dockerfile(tmp_path):
    folder = tmp_path / "context"
    docker.write(folder)
    (folder / "stale.py").touch()
    docker.write(folder)
    found = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    assert found == {*files.contents(), "Dockerfile"}
    text = (folder / "Dockerfile").read_text()
    assert f"FROM python:{files.PYTHON}-slim-bookworm\n" in text
    assert not re.search(r"@\w+@", text)  # each placeholder was filled in
    copies = [line.split()[1:-1] for line in text.splitlines() if line.startswith("COPY")]
    tops = {name.partition("/")[0] for name in files.contents()}
    assert {source for line in copies for source in line} == tops


def test_image_closes_temporary_folders_and_passes_options_on(tmp_path):
    docker.write(tmp_path / "context")
    text = (tmp_path / "context" / "Dockerfile").read_text()
    (line,) = [line for line in text.splitlines() if line.startswith("ENTRYPOINT ")]
    entry = json.loads(line.removeprefix("ENTRYPOINT "))
    for name in ("chmod", "python"):
        (tmp_path / name).write_text(f'#!/bin/sh\necho {name} "$@"\n')
        (tmp_path / name).chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    done = subprocess.run(
        [*entry, "--min-tier", "A"], env={"PATH": path}, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [
        "chmod o-w /tmp /var/tmp /dev/shm /run/lock",
        "python -m grader grade /submission --out /results --min-tier B- --min-tier A",
    ]


# --- unpacked at /autograder, in a separate mount namespace --------------------------------------

# The machine's root with an /autograder, and without the checkout's packages: a file that the pack
# lacks must not be found there.
IN_A_CONTAINER = """
set -eu
zip=$1 work=$2 profile=$3; shift 3
mount --make-rprivate /
mkdir "$work/root"
mount -t tmpfs tmpfs "$work/root"
cd "$work/root"
for entry in /*; do
  if [ -L "$entry" ]; then cp -a "$entry" .
  elif [ -d "$entry" ]; then mkdir ".$entry"; mount --rbind "$entry" ".$entry"
  fi
done
mkdir -p autograder
mount -t tmpfs tmpfs autograder
for folder in "$@"; do [ ! -d ".$folder" ] || mount -t tmpfs tmpfs ".$folder"; done
pivot_root . .
umount -l .
cd /autograder
mkdir source results
"$GRADER_PYTHON" -I -m zipfile -e "$zip" source
cp -r "$work/handed-in" submission
echo '{"id": 1}' > submission_metadata.json
cp source/run_autograder .
chmod 755 run_autograder
if [ -e "$work/change.sh" ]; then . "$work/change.sh"; fi
status=0
setsid "$GRADER_PYTHON" -m tests.harness.container "$profile" -- \
  env -u PYTHONPATH ./run_autograder > results/stdout 2>&1 || status=$?
find . -printf '%m %P\\0' > "$work/modes"
cp -r results "$work/results"
exit "$status"
"""


@pytest.fixture
def gradescoped(tmp_path):
    """Runs the pack on a submission as Gradescope does: status, results, modes, stdout."""
    site = importlib.metadata.distribution("resource-accounting-grader")
    url = json.loads(site.read_text("direct_url.json") or "{}").get("url", "")
    checkouts = {str(REPOSITORY), unquote(urlparse(url).path) or str(REPOSITORY)}
    hidden = [f"{c}/{f}" for c in checkouts for f in ("grader", "assignment", "solutions", "tests")]

    def run(submission, change="", profile="docker"):
        (tmp_path / "a.zip").write_bytes(gradescope.pack())
        shutil.copytree(submission, tmp_path / "handed-in")
        (tmp_path / "change.sh").write_text(change)
        tools = (
            *Path(REPOSITORY).glob("grader/worker/*.py"),
            *(REPOSITORY / "grader" / name for name in ("folders.py", "isolation.py")),
            Path(container.__file__),
        )
        for name in tools:
            copy = tmp_path / "tools" / name.relative_to(REPOSITORY)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(name, copy)
        script = ["bash", "-c", IN_A_CONTAINER, "bash", tmp_path / "a.zip", tmp_path, profile]
        done = subprocess.run(
            ["unshare", "--mount", *script, *hidden],
            env={
                "PATH": os.environ["PATH"],
                "GRADER_PYTHON": sys.executable,
                "PYTHONPATH": str(tmp_path / "tools"),
            },
            capture_output=True,
            text=True,
            timeout=1800,  # three times the time limit of the pack
        )
        assert (tmp_path / "modes").exists(), done.stderr
        lines = (tmp_path / "modes").read_text().split("\0")[:-1]
        modes = {name: int(mode, 8) for mode, _, name in (line.partition(" ") for line in lines)}
        out = tmp_path / "results"
        stdout = (out / "stdout").read_text()
        return done.returncode, json.loads((out / "results.json").read_bytes()), modes, stdout

    return run


def assert_closed(modes):
    """Other users can read no secret and no result."""
    for name in ("source", "results", "staff", "submission", "submission_metadata.json"):
        assert modes[name] & 0o077 == 0, name
    kept = {name for name in modes if name.startswith("results/")}
    assert kept == {"results/results.json", "results/stdout"}


@needs_root
@pytest.mark.parametrize("profile", PROFILES)
def test_half_finished_submission_is_graded(gradescoped, profile):
    """In tiers B and B-, also with a strict umask"""
    status, results, modes, stdout = gradescoped(HALF, "umask 077", profile)
    assert f"Isolation: tier {container.PROFILES[profile]} " in stdout
    assert status == 0, stdout
    assert 20 < results["score"] < 50
    assert len(results["tests"]) > 50
    assert sum(t.get("score", 0) for t in results["tests"]) == pytest.approx(
        results["score"], abs=0.5
    )
    assert results["stdout_visibility"] == "hidden"
    assert_closed(modes)
    assert modes["staff/grade.json"] & 0o077 == 0
    assert "of 100 points" in stdout


HOSTILE = """
import os
found = []
for folder in ("/autograder", "/autograder/source/tests/hidden", "/autograder/results",
               "/autograder/staff", "/autograder/source/solutions/resource_accounting"):
    try:
        found += os.listdir(folder)
    except OSError:
        pass
def attack(*args, **options):
    for name in ("results/results.json", "results/results.json.new", "staff/results.json",
                 "staff/grade.json", "run_autograder", "source/grader/judge/score.py"):
        try:
            with open(f"/autograder/{name}", "w") as file:
                file.write('{"score": 100}')
        except OSError:
            pass
    return 0
storage_index = row_major_strides = attack
if found:
    raise RuntimeError(f"WON {found}")
"""


@needs_root
def test_hostile_submission_gets_nothing(gradescoped, submit):
    status, results, modes, stdout = gradescoped(submit(strides=HOSTILE, dtypes="import torch\n"))
    assert status == 0, stdout
    assert results["score"] == 0
    assert "WON" not in json.dumps(results) + stdout
    assert_closed(modes)


@needs_root
def test_submission_without_the_package_gets_a_message(gradescoped, tmp_path):
    (tmp_path / "in").mkdir()
    for name in ('my "essay".txt', "\nUsage: x", "x" * 90 + " Usage: y"):
        (tmp_path / "in" / name).touch()
    status, results, modes, _ = gradescoped(tmp_path / "in")
    assert (status, results["score"], results["tests"]) == (0, 0, [])
    assert "resource_accounting/" in results["output"]
    assert 'my "essay".txt' in results["output"]
    assert_closed(modes)


@needs_root
@pytest.mark.parametrize(
    ("change", "expected", "words"),
    [
        ("echo 'def test(' >> source/tests/hidden/test_strides.py", 3, "not your fault"),
        ("sed -i 's/^points = 100/points = 99/' source/assignment/assignment.toml", 4, "not your"),
        ("rm source/grader/cli.py", 1, "not your fault"),
        ("sed -i 's/^min_tier=B-/min_tier=Z/' run_autograder", 3, "not your fault"),
        ("sed -i 's/^limit=600/limit=61/' run_autograder", 3, "was stopped"),
    ],
    ids=["test", "manifest", "command", "option", "time"],
)
def test_fault_of_the_grader_is_no_mark(gradescoped, change, expected, words):
    status, results, modes, stdout = gradescoped(HALF, change)
    assert status == expected, stdout
    assert words in results["output"]
    assert "not a mark" in results["output"]
    assert not {"score", "tests"} & results.keys()
    assert results["stdout_visibility"] == "hidden"
    assert_closed(modes)
    assert f"ended with status {2 if 'min_tier' in change else expected}" in stdout
