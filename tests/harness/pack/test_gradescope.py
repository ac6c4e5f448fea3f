"""The zip for Gradescope: its files, and that it grades as Gradescope requires."""

import importlib.metadata
import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest

from grader.pack import files, gradescope
from grader.results.course import Settings
from grader.results.lateness import Deadlines
from tests.harness import container
from tests.harness.conftest import REPOSITORY, keep_tests, long_unless, needs_root
from tests.harness.pack.conftest import copied

HALF = REPOSITORY / "tests" / "submissions" / "half_finished"
SCRIPTS = {"setup.sh", "run_autograder"}
# "no-landlock" is tier B-; only the campaign `attack` tries it.
PROFILES = ("docker", "no-landlock") if "ALL_ATTACKS" in os.environ else ("docker",)


def opened(data):
    return zipfile.ZipFile(io.BytesIO(data))


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


def test_settings_travel_in_one_file_and_only_if_there_are_any():
    with opened(gradescope.pack(settings=Settings(limit_per_day=3))) as archive:
        assert json.loads(archive.read("settings.json")) == {"limit_per_day": 3}
        assert len(archive.namelist()) == len({*files.contents(), *SCRIPTS}) + 1
    late = Deadlines(extensions={"bob": datetime(2026, 10, 2, tzinfo=UTC)})
    with pytest.raises(files.PackError, match="give them on Gradescope"):
        gradescope.pack(settings=Settings(late=late))
    with pytest.raises(files.PackError, match=r"--leaderboard: .* --visibility after_published"):
        gradescope.pack(settings=Settings(leaderboard=True, visibility="after_published"))


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
        root = copied(tmp_path)
        keep_tests(root, ("strides",))  # what is graded in seconds
        (root / "tests" / "timing" / "__init__.py").touch()  # a pack has some file there
        (tmp_path / "a.zip").write_bytes(gradescope.pack(root=root))
        shutil.copytree(submission, tmp_path / "handed-in")
        (tmp_path / "change.sh").write_text(change)
        tools = (
            *REPOSITORY.glob("grader/*.py"),
            *REPOSITORY.glob("grader/sandbox/*.py"),
            *REPOSITORY.glob("grader/wire/*.py"),
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


STRICT = """umask 077
echo '{"limit_per_day": 1, "keep_best": true}' > source/settings.json
"""
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
                 "staff/grade.json", "run_autograder", "source/grader/judge/verdict.py"):
        try:
            with open(f"/autograder/{name}", "w") as file:
                file.write('{"score": 100}')
        except OSError:
            pass
    return 0
gather = attack
if found:
    raise RuntimeError(f"WON {found}")
"""


@needs_root
@pytest.mark.parametrize("profile", PROFILES)
def test_half_finished_submission_is_graded_and_its_attack_gets_nothing(
    gradescoped, tmp_path, profile
):
    """In tiers B and B-, also with a strict umask, and settings that its metadata is not fit for"""
    submission = shutil.copytree(HALF, tmp_path / "half")
    with (submission / "resource_accounting" / "strides.py").open("a") as module:
        # Without Landlock a worker may list /autograder, but nothing in it.
        attack = HOSTILE if profile == "docker" else HOSTILE.replace('"/autograder", ', "")
        module.write(attack)
    status, results, modes, stdout = gradescoped(submission, STRICT, profile)
    assert f"Isolation: tier {container.PROFILES[profile]} " in stdout
    assert status == 0, stdout
    assert "finish: no limit, best score or lateness" in stdout
    assert 4 < results["score"] < 6
    scores = {t["name"].partition(":")[0]: t["score"] for t in results["tests"]}
    assert len(scores) > 3
    assert scores["gather"] == 0
    assert sum(scores.values()) == pytest.approx(results["score"], abs=0.5)
    assert "WON" not in json.dumps(results) + stdout
    assert results["stdout_visibility"] == "hidden"
    assert_closed(modes)
    assert modes["staff/grade.json"] & 0o077 == 0
    assert re.search(r"of \d+ points", stdout)


@needs_root
def test_submission_without_the_package_gets_a_message(gradescoped, tmp_path):
    (tmp_path / "in").mkdir()
    for name in ('my "essay".txt', "\nUsage: x", "x" * 90 + " Usage: y", "\x1b]0;t\x07\nUsage"):
        (tmp_path / "in" / name).touch()
    status, results, modes, _ = gradescoped(tmp_path / "in")
    assert (status, results["score"], results["tests"]) == (0, 0, [])
    assert "resource_accounting/" in results["output"]
    assert 'my "essay".txt' in results["output"]
    assert_closed(modes)


BEFORE = """
echo '{"limit_per_day": 1, "keep_best": true}' > source/settings.json
cat > submission_metadata.json <<'JSON'
{"created_at": "2026-10-02T18:02:30-07:00", "previous_submissions":
 [{"submission_time": "2026-10-01T@TIME@:30-07:00", "score": "83.0"}]}
JSON
"""


@needs_root
def test_submission_beyond_the_limit_is_not_graded(gradescoped):
    status, results, modes, stdout = gradescoped(HALF, BEFORE.replace("@TIME@", "20:00"))
    assert (status, results["score"]) == (0, 83)
    assert "The next submission can be graded from 2026-10-02 20:01" in results["output"]
    assert "the grader ended" not in stdout
    assert_closed(modes)


@needs_root
def test_what_a_course_sets_holds_for_files_without_the_package(gradescoped, tmp_path):
    (tmp_path / "in").mkdir()
    change = BEFORE.replace("@TIME@", "17:00")
    status, results, modes, _ = gradescoped(tmp_path / "in", change)
    assert (status, results["score"]) == (0, 83)
    assert "Your best score stays." in results["output"]
    assert "Nothing could be graded." in results["output"]
    assert_closed(modes)


@needs_root
def test_without_what_the_course_set_nothing_is_shown(gradescoped, tmp_path):
    """Hidden points might be"""
    (tmp_path / "in").mkdir()
    change = BEFORE.replace("@TIME@", "17:00") + "echo '{' > source/settings.json"
    status, results, _, _ = gradescoped(tmp_path / "in", change)
    assert (status, "score" in results, "tests" in results) == (3, False, False)
    assert "not your fault" in results["output"]


FAULTS = [
    ("echo 'def test(' >> source/tests/hidden/test_strides.py", 3, "not your fault"),
    ("sed -i 's/^points = /points = 9/' source/assignment/assignment.toml", 4, "not your"),
    ("rm source/grader/cli.py", 1, "not your fault"),
    ("sed -i 's/^min_tier=B-/min_tier=Z/' run_autograder", 3, "not your fault"),
    ("sed -i 's/^limit=600/limit=61/' run_autograder", 3, "was stopped"),
]


@needs_root
@pytest.mark.parametrize(
    ("change", "expected", "words"),
    long_unless(FAULTS, *FAULTS[1:]),
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
