"""The provenance of a grade in grade.json; its hashes are the same on every machine."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from rich.console import Console

import grader
from assignment import manifest
from assignment.manifest import VERSION_FILE
from assignment.student.submit import pack as pack_submission
from grader.causes import Cause
from grader.intake import stage
from grader.isolation import TIERS
from grader.judge import provenance
from grader.judge.grader import SECRETS, Grader
from grader.judge.provenance import content_hash, tree_hash, verdicts_hash
from grader.pack import files
from grader.results.record import from_json, to_json
from grader.results.student import report
from grader.supervisor.zygote import Zygote
from tests.harness import fickle
from tests.harness.conftest import REPOSITORY, lent, long_unless
from tests.harness.intake.archives import make_zip
from tests.harness.results.example_grade import grade as a_grade

TEXTS = {"strides": "def storage_index(*_):\n    return 0\n", "flops": "X = 1\n"}


def read(submission):
    exercises = manifest.load()
    return stage.read(submission, exercises.package, exercises.modules)


def hash_of(submission):
    return content_hash(read(submission), manifest.load().package)


# --- what was graded -----------------------------------------------------------------------------


def test_hash_of_a_submission_does_not_depend_on_its_archive(submit, tmp_path):
    """A folder, a zip, a tar, the package alone, files in another order: the same code"""
    folder = submit(**TEXTS)
    files = {f"{name}.py": text for name, text in TEXTS.items()}
    inside = {f"resource_accounting/{name}": text for name, text in files.items()}
    with tarfile.open(tmp_path / "it.tar.gz", "w:gz") as archive:
        archive.add(folder / "resource_accounting", "hw1/resource_accounting")
    variants = [
        folder,
        folder / "resource_accounting",
        make_zip(tmp_path / "it.zip", inside),
        make_zip(tmp_path / "turned.zip", dict(reversed(inside.items()))),
        make_zip(tmp_path / "flat.zip", files),
        make_zip(tmp_path / "more.zip", {**inside, "notes.txt": "mine", VERSION_FILE: "0.1.0\n"}),
        tmp_path / "it.tar.gz",
    ]
    assert len({hash_of(way) for way in variants}) == 1


def test_order_in_which_files_are_found_does_not_matter():
    """File systems list a folder in different orders"""
    found = [("a.py", b"1"), ("b.py", b"2")]
    assert provenance.hash_of_files(found) == provenance.hash_of_files(found[::-1])


@pytest.mark.parametrize(
    "other",
    [
        {**TEXTS, "flops": "X = 2\n"},
        {**TEXTS, "mfu": ""},
        {"strides": TEXTS["strides"]},
        {"strides": TEXTS["flops"], "flops": TEXTS["strides"]},
    ],
    ids=["one byte", "added file", "removed file", "swapped names"],
)
def test_hash_of_a_submission_changes_with_its_files(tmp_path, other):
    hashes = []
    for name, texts in (("one", TEXTS), ("other", other)):
        inside = {f"resource_accounting/{module}.py": text for module, text in texts.items()}
        hashes.append(hash_of(make_zip(tmp_path / f"{name}.zip", inside)))
    assert hashes[0] != hashes[1]


def test_submission_zip_names_its_handout(tmp_path, monkeypatch):
    """`make submit` writes the version beside the package; it is not reported as left out"""
    archive = tmp_path / "submission.zip"
    console = Console(quiet=True)
    monkeypatch.setattr("assignment.student.submit.import_errors", lambda *_: {})  # takes seconds
    pack_submission(console, REPOSITORY / "handout", archive)
    found = read(archive)
    assert found.handout == manifest.load().version
    assert found.left_out == ()
    with zipfile.ZipFile(archive) as opened:  # as Gradescope passes it on
        opened.extractall(tmp_path / "unpacked")
    assert read(tmp_path / "unpacked").handout == found.handout


def test_whole_handout_names_its_version_too():
    """Students may hand in their repository of the handout"""
    assert read(REPOSITORY / "handout").handout == manifest.load().version


@pytest.mark.parametrize(
    "text",
    ["", "\n", "0.1.0; rm -rf", "1" * 41, "0" * 2**20, b"\xff\xfe\0", "\x1b[31m0.1.0", "0.1\n0.2"],
    ids=lambda text: repr(text[:12]),
)
def test_text_that_is_not_a_version_is_ignored(tmp_path, text):
    """It is untrusted: at most some bytes are read, and the text must look like a version"""
    inside = {"resource_accounting/flops.py": "X = 1\n", VERSION_FILE: text}
    assert read(make_zip(tmp_path / "it.zip", inside)).handout is None


def test_unreadable_version_is_ignored(submit, tmp_path):
    """A submission is never refused for it"""
    inside = {"resource_accounting/flops.py": "X = 1\n", VERSION_FILE: "0.1.0\n" * 9}
    archive = make_zip(tmp_path / "it.zip", inside)
    data = archive.read_bytes()
    at = data.index(VERSION_FILE.encode()) + len(VERSION_FILE)
    archive.write_bytes(data[:at] + b"\xff\xff" + data[at + 2 :])
    assert read(archive).handout is None
    folder = submit(**TEXTS)
    (folder / VERSION_FILE).symlink_to("/etc/hostname")
    assert read(folder).handout is None


# --- which grader --------------------------------------------------------------------------------


def test_tree_hash_of_a_checkout_and_of_its_container_are_equal(tmp_path):
    """Line ends do not matter"""
    for name, data in files.contents().items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data.replace(b"\n", b"\r\n"))
    (tmp_path / "grader" / "judge" / "__pycache__").mkdir()
    (tmp_path / "grader" / "judge" / "__pycache__" / "x.py").write_text("left behind")
    (tmp_path / "README.md").write_text("no file of this changes a mark")
    assert tree_hash.__wrapped__(tmp_path) == tree_hash()


def test_tree_hash_changes_with_each_file_that_grades(tmp_path):
    for folder in ("assignment", "grader", "solutions", "tests"):
        ignored = shutil.ignore_patterns("__pycache__", "hostile", "wrong", "submissions")
        shutil.copytree(REPOSITORY / folder, tmp_path / folder, ignore=ignored)
    seen = {tree_hash.__wrapped__(tmp_path)}
    names = "tests/hidden/test_flops.py", "assignment/assignment.toml", "grader/worker/serve.py"
    for name in names:
        with (tmp_path / name).open("a") as file:
            file.write("\n")
        seen.add(tree_hash.__wrapped__(tmp_path))
    assert len(seen) == 4


def test_version_option_prints_the_tree_hash():
    done = subprocess.run(
        [sys.executable, "-m", "grader", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith(f"grader {grader.__version__}, tree {tree_hash()[:12]}, handout ")
    assert done.stdout.count("\n") == 1


# --- at what cost --------------------------------------------------------------------------------


def zygote_with_cpu(seconds: float) -> Any:
    return SimpleNamespace(cpu_seconds=lambda: seconds)


def test_cpu_seconds_of_a_grading_are_those_since_the_last_one(monkeypatch):
    own = iter([100.0, 103.0, 104.0])
    monkeypatch.setattr(provenance, "_own_seconds", lambda: next(own))
    meter = provenance.CpuMeter()
    assert meter.lap([zygote_with_cpu(5.0)]) == 8.0
    assert meter.lap([zygote_with_cpu(5.5), zygote_with_cpu(0.25)]) == 1.75  # a second zygote since


def test_cpu_seconds_of_a_worker_count_after_its_end(sandboxed, quick_grader):
    text = "import time\n\ndef burn():\n    while time.process_time() < 0.5:\n        pass\n"
    before = quick_grader.zygote.cpu_seconds()
    implementation = sandboxed(probe=text)
    implementation.probe.burn()
    implementation.close()
    assert quick_grader.zygote.cpu_seconds() >= before + 0.5 - 0.02  # each is exact to a tick


# --- with what verdicts --------------------------------------------------------------------------


def test_hash_of_verdicts_depends_on_states_causes_and_points():
    """It does not depend on the order of checks, on seconds, details and titles"""
    checks = a_grade().checks
    assignment = manifest.load()
    same = [msgspec.structs.replace(c, seconds=9.0, detail="else") for c in reversed(checks)]
    assert verdicts_hash(same, assignment) == verdicts_hash(checks, assignment)
    for change in (
        {"state": "not_run"},
        {"cause": Cause.TIMEOUT},
        {"points": checks[0].points + 0.01},
        {"test": "another"},
        {"exercise": "another"},
    ):
        other = [msgspec.structs.replace(checks[0], **change), *checks[1:]]
        assert verdicts_hash(other, assignment) != verdicts_hash(checks, assignment), change


def test_exercises_that_need_a_device_are_not_in_the_hash():
    """A machine with a GPU measures more exercises, and must give the same hash"""
    assignment = manifest.load()
    needs = next(e.id for e in assignment if e.needs)
    checks = a_grade().checks
    raced = msgspec.structs.replace(checks[0], exercise=needs, test="test_performance::test_it")
    assert verdicts_hash([*checks, raced], assignment) == verdicts_hash(checks, assignment)


def tiers_here() -> list[str]:
    zygote = Zygote(TIERS, SECRETS, only_try=True)
    try:
        zygote.wait()
    finally:
        zygote.close()
    return [tier for tier in TIERS if not zygote.refused[tier]]


@pytest.mark.parametrize("weaker", long_unless([("none",), tiers_here], ("none",)))
def test_same_nonce_gives_the_same_verdicts_in_every_tier_and_on_every_lane(
    grader, submit, weaker, monkeypatch
):
    """This includes the order of sets, and random numbers that are drawn at import"""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    texts = fickle.modules()
    only = [exercise.id for exercise in grader.manifest if texts.keys() >= set(exercise.modules)]
    asked = {"submission": submit(**texts), "only": only, "tests": "hidden", "nonce": "the same"}
    with lent(grader, _lanes=2):
        found = {"the session's": grader.grade(**asked)}
    for number, tier in enumerate(weaker() if callable(weaker) else weaker):
        lanes = 1 + number % 2
        with Grader((tier,), lanes=lanes) as a_grader:
            found[tier] = a_grader.grade(**asked)
        recorded = json.loads(to_json(found[tier]))["provenance"]
        assert (recorded["tier"], recorded["lanes"]) == (tier, lanes)
        assert recorded["cpu_seconds"] > 1  # torch was imported twice
        assert all(recorded[name] for name in ("python", "torch", "cpu", "kernel", "grader"))
        assert recorded["handout"] is None
        assert recorded["tree"] == tree_hash()
    assert {name: grade.faults for name, grade in found.items()} == dict.fromkeys(found, ())
    states = {
        name: [(c.test, c.state, c.cause, c.points) for c in grade.checks]
        for name, grade in found.items()
    }
    first = states["the session's"]
    assert states == dict.fromkeys(found, first)
    assert len({grade.verdicts for grade in found.values()}) == 1
    causes = {cause for _, _, cause, _ in first}
    assert {None, Cause.IMPORT_FAILED, Cause.EXCEPTION, Cause.UNFINISHED} <= causes


# --- notices for students ------------------------------------------------------------------------


def notices_for(handout: str | None) -> tuple[str, str]:
    """The notice about a submission's handout version, and the line at the end of the report."""
    found = provenance.provenance(
        submission="0", handout=handout, tier="A", lanes=1, cpu_seconds=1.0
    )
    grade = msgspec.structs.replace(a_grade(), provenance=found, version="0.10.0")
    assert from_json(to_json(grade)) == grade
    view = report(grade)
    return next((n for n in view.notices if "andout" in n), ""), view.handout_words


def test_notice_names_another_handout_version():
    older, line = notices_for("0.9.1")
    assert older == (
        "Made with handout 0.9.1, graded with version 0.10.0. "
        "If a test is unexpected, see the handout's CHANGELOG.md for what changed since."
    )
    assert line == "Made with handout 0.9.1."
    assert notices_for("0.11.0")[0] == (
        "Made with handout 0.11.0, graded with version 0.10.0. "
        "Please tell the course staff, who may have to update the grader."
    )
    assert notices_for("0.10.0") == ("", "Made with handout 0.10.0.")
    assert notices_for(None) == (
        "",
        "The submission does not say which handout it was made with; a packed submission.zip does.",
    )
