"""Every tier where it is used: in a container, and as an ordinary user.

The campaign `attack` runs all attacks in all tiers; it takes half an hour.
"""

import itertools
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grader import cli
from grader.causes import Cause
from grader.isolation import MEANINGS, TIERS, UNISOLATED, CannotIsolate
from grader.results.record import from_json
from grader.sandbox import tiers
from grader.sandbox.probe import probe
from grader.wire.messages import Grading
from tests.harness import container, fickle
from tests.harness.conftest import REPOSITORY, long_unless, needs_root, repository_for
from tests.harness.container import copy_of_repository, run
from tests.harness.hostile.attacks import CAUSES, ONLY_IN_TIER_A
from tests.harness.hostile.hand_in import HOSTILE

pytestmark = needs_root
ATTACK_TESTS = "tests/harness/hostile/test_attacks.py"
FORGER_TESTS = "tests/harness/hostile/test_forgers.py"
CHEAT_TESTS = "tests/harness/races/test_cheats.py"
OPTIONS = ("-m", "", "-p", "no:cacheprovider", "-p", "no:hypothesispytest")  # of pytest's
PROFILES = {name: tier for name, tier in container.PROFILES.items() if name != "whole"}
# Two attacks, each of which a layer of some tier stops.
ATTACKS = ("reads_the_other_lane", "uses_its_callers_paths")
ON_ITS_USERS_FILES = "changes_modes_and_times"
if "ALL_ATTACKS" in os.environ:  # as in the campaign `attack`
    ATTACKS = tuple(attack for attack in CAUSES if attack not in ONLY_IN_TIER_A)

# What `grader doctor` finds of the tiers, and what a grading that accepts only tier A is told.
TRIES = """
import json
from grader.doctor import machine
from grader.isolation import CannotIsolate
from grader.judge.grader import SECRETS
from grader.supervisor.zygote import Zygote

machine._cuda = str  # it loads torch
found = machine.diagnose()
try:
    Zygote(("A",), SECRETS).wait()
except CannotIsolate as error:
    print(json.dumps([found.tier, found.refused, str(error)]))
"""

# Grades one exercise by its public tests, and prints the record.
GRADES = """
import sys
from pathlib import Path
from grader.judge.grader import Grader
from grader.results.record import to_json

with Grader(lanes=1) as grader:
    grade = grader.grade(Path(sys.argv[1]), tests="public", only=["storage_index"])
print(to_json(grade).decode())
"""

# Fills the disk with files that have no name any more, open or only mapped.
KEEPS_UNLINKED_FILES = """
import os, tempfile, torch

KEPT = []


def storage_index(index, strides, offset=0):
    for number in range(10):
        descriptor, path = tempfile.mkstemp()
        for _ in range(60):
            os.write(descriptor, bytes(2**20))
        if MAPS:
            KEPT.append(torch.from_file(path, shared=True, size=4096, dtype=torch.uint8))
            os.close(descriptor)
        os.unlink(path)
    return offset + sum(i * s for i, s in zip(index, strides))
"""


def tried(profile, repository):
    """What `TRIES` prints in a container."""
    done = run(profile, repository, "-c", TRIES)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("profile", PROFILES)
def test_container_has_its_tier_and_reports_what_stronger_ones_lack(profile, closed):
    tier, refused, told = tried(profile, repository_for(profile, closed))
    assert tier == PROFILES[profile]
    assert all(refused[stronger] for stronger in TIERS[: TIERS.index(tier)])
    assert told == f"tier A: {refused['A']}"
    assert ("Landlock" if profile == "no-landlock" else "it needs CAP_SYS_ADMIN") in told


def test_folder_that_others_can_read_is_refused_without_landlock():
    """There only file modes keep a worker from the hidden tests."""
    tier, refused, _ = tried("no-landlock", REPOSITORY)
    assert tier == ""
    assert "close such folders" in refused["B-"]


def test_history_that_others_can_read_is_refused_without_landlock(closed):
    """A checkout's .git holds the reference and the hidden tests, as its folders do"""
    folder = closed.parent / "history"
    copy_of_repository(folder)
    for name in ("grader", "solutions", "tests"):
        (folder / name).chmod(0o700)
    assert tried("no-landlock", folder)[0] == "B-"
    (folder / ".git" / "objects").mkdir(parents=True)
    tier, refused, _ = tried("no-landlock", folder)
    assert tier == ""
    assert f"look into {folder}/.git;" in refused["B-"]


def test_grading_accepts_no_tier_below_the_minimum(monkeypatch, submit):
    accepted = []

    def refuse(tiers, **_):
        accepted.append(tiers)
        raise OSError("enough")

    monkeypatch.setattr(cli, "Grader", refuse)
    command = ["grade", str(submit(strides=""))]
    for options in (["--min-tier", "A"], ["--min-tier", "B-"], []):
        CliRunner().invoke(cli.build_app(), [*command, *options])
    assert accepted == [("A",), ("A", "B", "B-"), TIERS]


@pytest.mark.parametrize("profile", long_unless(PROFILES))
def test_same_nonce_gives_the_same_verdicts_in_a_container(profile, closed, grader):
    """Whatever hangs on chance in a submission falls out the same way in every tier."""
    nonce = "5eed"
    repository = repository_for(profile, closed)
    parent = None if profile == "user" else closed  # the other profiles see few other folders
    with tempfile.TemporaryDirectory(prefix="fickle-", dir=parent) as path:
        submission, out = Path(path), Path(path) / "out"
        submission.chmod(0o755)
        out.mkdir()
        out.chmod(0o777)
        for name, module in fickle.modules().items():
            (submission / f"{name}.py").write_text(module)
        options = ["--out", str(out), "--nonce", nonce]
        done = run(profile, repository, "grader", "grade", str(submission), *options)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
        found = from_json((out / "grade.json").read_bytes())
        expected = grader.grade(submission, nonce=nonce)
    assert found.isolation.tier == PROFILES[profile]
    assert found.verdicts == expected.verdicts


@pytest.mark.parametrize(
    ("profile", "maps"),
    long_unless(itertools.product(["docker", "user"], [False, True]), ("docker", True)),
)
def test_files_without_a_name_count(profile, maps, closed):
    """In tier B- they do not: `grader/README.md` says so"""
    parent = None if profile == "user" else closed
    with tempfile.TemporaryDirectory(prefix="unlinked-", dir=parent) as path:
        Path(path).chmod(0o755)
        Path(path, "strides.py").write_text(f"MAPS = {maps}\n{KEEPS_UNLINKED_FILES}")
        done = run(profile, repository_for(profile, closed), "-c", GRADES, path)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    grade = from_json(done.stdout.encode())
    assert grade.isolation.tier == PROFILES[profile]
    assert {c.cause for c in grade.checks} == {Cause.DISK, Cause.MISSING}


@pytest.fixture
def owned() -> Iterator[Path]:
    """A copy of the repository that belongs to the container's user, and an attack on it.

    In tier C worker and judge are one user, and Landlock governs neither modes nor times.
    """
    with tempfile.TemporaryDirectory(prefix="owned-") as parent:
        folder = Path(parent) / "course"
        folder.mkdir()
        copy_of_repository(folder)
        attack = HOSTILE.relative_to(REPOSITORY) / ON_ITS_USERS_FILES / "resource_accounting"
        reached = [str(folder / name) for name in (".", "tests/hidden", "solutions", "grader")]
        with (folder / attack / "strides.py").open("a") as file:
            file.write(f"\n\nPLACES.extend(map(pathlib.Path, {reached}))\n")
        for path in (Path(parent), folder, *folder.rglob("*")):
            os.chown(path, container.USER, container.USER)
        yield folder


@pytest.mark.parametrize("profile", long_unless(PROFILES, "no-landlock", "user"))
def test_attacks_earn_nothing_in_a_container(profile, request):
    of_user = profile == "user"
    where = request.getfixturevalue("owned" if of_user else "closed")
    attacks = {*ATTACKS, *([ON_ITS_USERS_FILES] if of_user else [])}
    chosen = " or ".join(f"alive[{name}]" for name in attacks)
    done = run(profile, where, "pytest", "-qx", *OPTIONS, "-k", chosen, ATTACK_TESTS)
    assert f"{len(attacks)} passed" in done.stdout, done.stdout[-3000:] + done.stderr[-1000:]


def test_same_user_needs_a_landlock_that_forbids_truncation(monkeypatch):
    """truncate(2) opens nothing: an older Landlock would let a worker empty the hidden tests"""
    monkeypatch.setattr("grader.sandbox.landlock.abi", lambda: 2)
    grading = Grading(run="/none", hidden=(), first_uid=0, canary="/none", results="/none")
    with pytest.raises(CannotIsolate, match=r"truncating .* Linux 6\.2"):
        tiers._SANDBOXES["C"](grading).prepare()


@pytest.mark.long
@pytest.mark.parametrize(
    ("file", "tests"), [(CHEAT_TESTS, "cheat_gains_nothing"), (FORGER_TESTS, "forger_earns")]
)
@pytest.mark.parametrize("profile", PROFILES)
def test_cheats_and_forgers_gain_nothing_in_a_container(profile, file, tests, closed):
    """In a race the reference runs beside the submission; in tier C even as the same user, and
    without Landlock only file modes keep the submission from it."""
    options = ["-q", *OPTIONS, "-k", tests, file]
    done = run(profile, repository_for(profile, closed), "pytest", *options)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]


def test_each_tier_has_a_sandbox():
    assert set(tiers._SANDBOXES) == {*TIERS, UNISOLATED} == set(MEANINGS)


def test_probe_reports_what_other_users_must_not_reach(tmp_path):
    """Files there would outlive a worker, and memory of /dev/zero counts nowhere: without Landlock
    such a machine is refused."""
    none = str(tmp_path / "none")
    grading = Grading(run=none, hidden=(), first_uid=0, canary=none, results="/none")
    found = probe(grading, os.getpid(), (str(tmp_path), "/none"))
    assert found[f"leave something in {tmp_path}"] == "allowed"
    assert found["leave something in /none"] == "ENOENT"
    assert found["take uncounted memory from /dev/zero"] == "allowed"
    assert list(tmp_path.iterdir()) == []
