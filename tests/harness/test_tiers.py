"""Every tier, where it would be used: in a container, and as an ordinary user.

All attacks in all tiers take a quarter of an hour: `make attack`.
"""

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.isolation import TIERS, at_least
from grader.results.record import from_json
from grader.worker.probe import probe
from tests.harness import container, fickle
from tests.harness.attacks import CAUSES
from tests.harness.conftest import REPOSITORY
from tests.harness.container import copy_of_repository, run

pytestmark = pytest.mark.skipif(
    os.getuid() != 0, reason="only root can give rights up as a container does"
)
PROFILES = {name: tier for name, tier in container.PROFILES.items() if name != "whole"}
ALL = "ALL_ATTACKS" in os.environ  # as in `make attack`
# Of each tier a few, for what lower ones lack.
ATTACKS = tuple(CAUSES) if ALL else ("deep_folders", "uses_its_callers_paths")


@pytest.fixture(scope="session")
def closed() -> Iterator[Path]:
    """The repository where only root can look into it, as in a container.

    In no folder of pytest's: an attack that looks for tests in its frames would find that word.
    """
    with tempfile.TemporaryDirectory(prefix="closed-") as place:
        folder = Path(place) / "course"
        folder.mkdir()
        copy_of_repository(folder)
        folder.chmod(0o700)
        Path(place).chmod(0o755)
        yield folder


def place(profile: str, closed: Path) -> Path:
    """An ordinary user must be able to read the repository; Landlock hides it from workers."""
    return REPOSITORY if profile == "user" else closed


@pytest.mark.parametrize("profile", PROFILES)
def test_container_has_its_tier_and_says_what_better_ones_lack(profile, closed):
    done = run(profile, place(profile, closed), "grader", "doctor", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["tier"] == PROFILES[profile]
    better = TIERS[: TIERS.index(found["tier"])]
    assert all(found["refused"][tier] for tier in better)


def test_folder_that_others_can_read_is_refused_without_landlock(tmp_path):
    """File modes alone stand there between a worker and the hidden tests."""
    done = run("no-landlock", REPOSITORY, "grader", "doctor", "--json")
    assert done.returncode == 3
    assert "close such folders" in json.loads(done.stdout)["refused"]["B-"]


def test_less_than_the_minimum_is_refused(closed):
    place = closed / "handed-in"  # of /tmp a container sees its own folder alone
    place.mkdir()
    (place / "strides.py").write_text("def storage_index(*_):\n    return 0\n")
    options = ["--out", str(place / "out"), "--min-tier", "A"]
    done = run("docker", closed, "grader", "grade", str(place), *options)
    assert done.returncode == 3
    assert "tier A: it needs CAP_SYS_ADMIN" in done.stderr
    assert not (place / "out" / "grade.json").exists()


@pytest.mark.parametrize("profile", PROFILES if ALL else ["docker", "user"])
def test_same_nonce_gives_the_same_verdicts_in_a_container(profile, closed, judge):
    """Whatever hangs on chance in a submission falls out the same way in every tier."""
    nonce = "5eed"
    at = place(profile, closed)
    shown = None if profile == "user" else closed  # of other folders the others see little
    with tempfile.TemporaryDirectory(prefix="fickle-", dir=shown) as text:
        submission, out = Path(text), Path(text) / "out"
        submission.chmod(0o755)
        out.mkdir()
        out.chmod(0o777)
        for name, module in fickle.modules().items():
            (submission / f"{name}.py").write_text(module)
        options = ["--out", str(out), "--nonce", nonce]
        done = run(profile, at, "grader", "grade", str(submission), *options)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
        found = from_json((out / "grade.json").read_bytes())
        expected = judge.grade(submission, nonce=nonce)
    assert found.isolation.tier == PROFILES[profile]
    assert found.verdicts == expected.verdicts


@pytest.mark.parametrize("profile", PROFILES)
def test_attacks_earn_nothing_in_a_container(profile, closed):
    chosen = " or ".join(f"alive[{name}]" for name in ATTACKS)
    options = ["-qx", "-p", "no:cacheprovider", "-k", chosen, "tests/harness/test_hostile.py"]
    done = run(profile, place(profile, closed), "pytest", *options)
    assert f"{len(ATTACKS)} passed" in done.stdout, done.stdout[-3000:] + done.stderr[-1000:]


@pytest.mark.parametrize("profile", PROFILES if ALL else ["user"])
def test_cheats_gain_nothing_in_a_container(profile, closed):
    """In a race the reference runs beside the submission: in tier C even as the same user."""
    chosen = "cheat_gains_nothing" + ("" if ALL else " and finds_the_reference")
    options = ["-q", "-p", "no:cacheprovider", "-k", chosen, "tests/harness/test_race.py"]
    done = run(profile, place(profile, closed), "pytest", *options)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]


def test_tiers_are_in_order():
    assert at_least("A") == ("A",)
    assert at_least("B-") == ("A", "B", "B-")
    assert at_least("C") == TIERS


def test_common_folder_that_a_worker_could_write_is_found(tmp_path):
    """What is left there would outlive a worker; without Landlock such a machine is refused."""
    found = probe(str(tmp_path / "none"), "/none", os.getpid(), (), (str(tmp_path), "/none"))
    assert found[f"leave something in {tmp_path}"] == "allowed"
    assert found["leave something in /none"] == "ENOENT"
    assert list(tmp_path.iterdir()) == []
