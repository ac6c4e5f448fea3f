"""Classes of generated submissions, graded in several ways while processes are killed.

    python -m tests.campaigns.classes --submissions 200 --kills 10

Each way must end with one right mark for each student, the same in all: by one command that is
killed on the way, by parts of which one is killed, and by a Dask cluster of three workers of which
one is killed; that needs `distributed`, and is left out without it.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from assignment import manifest as manifests
from grader.authoring.variants import REFERENCE
from grader.paths import REPOSITORY
from tests.harness.conftest import wait_until

GRADER = [sys.executable, "-m", "grader", "class"]
HANDOUT = REPOSITORY / "handout" / "resource_accounting"
MANIFEST = manifests.load()
# Modules that import no other one: what they earn does not depend on the others.
ALONE = [
    module
    for module in MANIFEST.modules
    if "\nfrom ." not in (REFERENCE / f"{module}.py").read_text(encoding="utf-8")
]
Marks = dict[str, float | None]  # None: refused


def main() -> None:
    """Makes a class for each platform, and grades them in each way."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--submissions", type=int, default=200)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    options = parser.parse_args()
    print(f"{options.submissions} submissions, {options.kills} kills, seed {options.seed}")
    rng = random.Random(options.seed)
    ways: dict[str, Callable[[Path, Path, int, random.Random], None]]
    ways = {"one command": killed, "parts": in_parts}
    if find_spec("distributed"):
        ways["Dask"] = on_dask
    with tempfile.TemporaryDirectory() as text:
        for number, platform in enumerate((plain, gradescope, canvas, moodle)):
            place = Path(text) / platform.__name__
            count = len(range(number, options.submissions, 4))
            wanted = generate(place, count, platform, rng)
            kills = len(range(number, options.kills, 4))
            for name, way in ways.items():
                begun, marks = time.monotonic(), place / name.replace(" ", "_")
                way(place, marks, kills, rng)
                found = read(marks)
                assert found == wanted, (name, platform.__name__, found, wanted)
                seconds = time.monotonic() - begun
                print(f"{platform.__name__}, {name}: {count} right marks in {seconds:.0f} s")


def generate(
    place: Path, count: int, platform: Callable[[Path, int], Path], rng: random.Random
) -> Marks:
    """Hands in handouts in which some modules are written; returns the points by student.

    One in ten is refused: it is no archive.
    """
    (place / "in").mkdir(parents=True)
    wanted: Marks = {}
    lines = ["id,email,canvas_id,moodle_id"]
    for number in range(count):
        student = f"s{number:03}"
        lines.append(f"{student},{student}@x.edu,{100 + number},{100 + number}")
        written = set(rng.sample(ALONE, rng.randrange(3)))
        folder = place / "made" / student
        shutil.copytree(HANDOUT, folder / MANIFEST.package)
        for module in written:
            shutil.copyfile(REFERENCE / f"{module}.py", folder / MANIFEST.package / f"{module}.py")
        to = platform(place / "in", number)
        is_refused = rng.random() < 0.1
        pack(folder, to, "refused" if is_refused else rng.choice(["zip", "gztar", "folder"]))
        if is_refused:
            wanted[student] = None
            continue
        wanted[student] = sum(
            exercise.points
            for exercise in MANIFEST
            if exercise.core and not exercise.needs and written.issuperset(exercise.modules)
        )
    (place / "roster.csv").write_text("\n".join(lines) + "\n")
    return wanted


def pack(folder: Path, to: Path, kind: str) -> None:
    """Puts a submission where a platform has it: a folder, or an archive in it or beside it."""
    if kind == "folder" and to.suffix != ".zip":
        shutil.copytree(folder, to)
        return
    if to.suffix != ".zip" and to.name.startswith(("submission_", "S ")):  # always a folder
        to.mkdir()
        to /= "homework.zip"
    if kind == "refused":
        to.with_suffix(".zip").write_bytes(b"no zip")
    elif to.suffix == ".zip":
        shutil.make_archive(str(to.with_suffix("")), "zip", folder)
    else:
        shutil.make_archive(str(to), kind, folder)


def plain(folder: Path, number: int) -> Path:
    """A folder, or an archive beside it, of the student's id."""
    return folder / f"s{number:03}"


def gradescope(folder: Path, number: int) -> Path:
    """What "Export submissions" makes: folders, and a file that names who handed in."""
    with (folder / "submission_metadata.yml").open("a") as file:
        file.write(
            f"submission_{number}:\n  :submitters:\n  - :name: S\n    :email: s{number:03}@x.edu\n"
            "  :created_at: 2026-10-02 12:00:00 Z\n"
        )
    return folder / f"submission_{number}"


def canvas(folder: Path, number: int) -> Path:
    """A file of Canvas's bulk download."""
    late = "LATE_" if number % 3 == 0 else ""
    return folder / f"lasts_{late}{100 + number}_{7000 + number}_homework.zip"


def moodle(folder: Path, number: int) -> Path:
    """A folder of Moodle's bulk download."""
    return folder / f"S Last_{100 + number}_assignsubmission_file_"


def command(place: Path, marks: Path, *more: str) -> list[str]:
    """Grades the class of a place."""
    roster = ["--roster", str(place / "roster.csv")]
    return [*GRADER, str(place / "in"), *roster, "--out", str(marks), *more]


def killed(place: Path, marks: Path, kills: int, rng: random.Random) -> None:
    """One command, killed at random, itself or one of its graders; then the same again."""
    for _ in range(kills):
        run = start(command(place, marks))
        wait_for_grades(run, marks, rng.randrange(1, 6))
        with suppress(FileNotFoundError, ProcessLookupError):  # it has ended
            children = Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()
            os.kill(rng.choice([run.pid, *map(int, children)]), signal.SIGKILL)
        run.wait()
    finish(place, marks)


def in_parts(place: Path, marks: Path, kills: int, rng: random.Random) -> None:
    """Three parts at a time; one is killed, and started again."""
    parts = [[*command(place, marks, "--jobs", "1"), "--shard", f"{n}/3"] for n in (1, 2, 3)]
    running = [start(part) for part in parts]
    wait_for_grades(running[1], marks, rng.randrange(1, 6))
    running[1].kill()
    running[1] = start(parts[1])
    assert [run.wait() for run in running] == [0, 0, 0]
    finish(place, marks)


def on_dask(place: Path, marks: Path, kills: int, rng: random.Random) -> None:
    """Three workers of a cluster, of which one is killed; the others go on."""
    dask = [sys.executable, "-m", "distributed.cli"]
    address = place / "scheduler.json"
    address.unlink(missing_ok=True)
    scheduler = start([f"{dask[2]}.dask_scheduler", "--scheduler-file", str(address)], dask[:2])
    workers: list[subprocess.Popen[bytes]] = []
    try:
        wait_until(address.exists)
        worker = [f"{dask[2]}.dask_worker", "--scheduler-file", str(address)]
        worker += ["--nthreads", "1", "--no-nanny", "--no-dashboard"]
        workers += [start(worker, dask[:2]) for _ in range(3)]
        time.sleep(10)  # until they are known
        tcp = address.read_text().partition('"address": "')[2].partition('"')[0]
        example = REPOSITORY / "grader" / "classroom" / "examples" / "class_on_dask.py"
        driver = start([str(example), tcp, *command(place, marks)[len(GRADER) :]], dask[:1])
        wait_for_grades(driver, marks, rng.randrange(1, 6))
        os.killpg(workers[0].pid, signal.SIGKILL)
        assert driver.wait() == 0
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()
    finish(place, marks)


def start(arguments: Sequence[str], before: Sequence[str] = ()) -> subprocess.Popen[bytes]:
    """Starts a command in the repository, in a session of its own, without its output."""
    return subprocess.Popen(
        [*before, *arguments],
        cwd=REPOSITORY,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def wait_for_grades(run: subprocess.Popen[bytes], marks: Path, more: int) -> None:
    """Waits until there are some more grades than now, or the run has ended."""
    wanted = len(list(marks.glob("students/*/grade.json.gz"))) + more
    wait_until(
        lambda: (
            run.poll() is not None or len(list(marks.glob("students/*/grade.json.gz"))) >= wanted
        )
    )


def finish(place: Path, marks: Path) -> None:
    """The same command to its end."""
    done = subprocess.run(command(place, marks), cwd=REPOSITORY, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def read(marks: Path) -> Marks:
    """The points by student; all must be graded."""
    with (marks / "marks.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["status"] for row in rows} <= {"graded", "refused"}, rows
    return {row["id"]: float(row["score"]) if row["score"] else None for row in rows}


if __name__ == "__main__":
    main()
