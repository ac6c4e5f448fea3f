"""Grades code that hangs, or sleeps, in every function, under several conditions.

    python -m tests.campaigns.hangs

Each grading has to end within its printed bound, and all verdicts have to be the same under all
conditions: alone, beside four busy loops, on half a core, in one lane and in two. The same holds
for a half-finished submission, which draws nothing from the budget.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

from grader.results.record import Grade, from_json
from tests.campaigns.gates import busy_loops
from tests.harness.container import REPOSITORY

_STUB = re.compile(r"raise NotImplementedError\(.*?\n? *\)\n", re.DOTALL)
_HANGS = {
    "loops": "while True: pass\n",
    "sleeps": "__import__('time').sleep(10**6)\n",
    # Once in each process, nine tenths of a test's limit: no test hits its own limit.
    "delays": (
        "t = __import__('time'); t.sleep(0 if hasattr(t, 'slept') else 9); t.slept = True\n"
    ),
}
# Control groups, versions 1 and 2: the folder, the file that sets the share of a core, its value
# for half a core, and the file that takes process ids.
_GROUPS = (
    ("/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", "50000", "tasks"),
    ("/sys/fs/cgroup", "cpu.max", "50000 100000", "cgroup.procs"),
)
_START = 30.0  # seconds to start, which the bound does not include: torch is loaded twice


class Situation(NamedTuple):
    """The conditions of a grading; `share` is the share of a core that it gets at least."""

    name: str
    lanes: int
    busy: int = 0
    half: bool = False

    @property
    def share(self) -> float:
        return 0.5 if self.half else 1 / (1 + self.busy)


SITUATIONS = (
    Situation("two lanes, alone", 2),
    Situation("one lane, alone", 1),
    Situation("two lanes, beside four busy loops", 2, busy=4),
    Situation("one lane, on half a core", 1, half=True),
)


def main() -> None:
    """Grades each submission in each situation.

    The exit status is 1 if verdicts differ or a grading exceeds its bound.
    """
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--budget", type=float, help="seconds; by default the manifest's")
    parser.add_argument("--nonce", default="hangs")
    options = parser.parse_args()
    console = Console(highlight=False, soft_wrap=True)
    failed = False
    with tempfile.TemporaryDirectory() as place:
        for name, submission in submissions(Path(place)).items():
            seen: set[str] = set()
            for situation in SITUATIONS:
                began = time.monotonic()
                grade = grade_in(submission, Path(place), situation, options.budget, options.nonce)
                if grade is None:
                    console.print(f"{name:8} {situation.name}: not possible on this machine")
                    continue
                took = time.monotonic() - began
                assert grade.budget is not None
                within = _START + grade.budget.bound / situation.share
                seen.add(grade.verdicts)
                failed |= len(seen) > 1 or took > within
                console.print(
                    f"{name:6} {situation.name:34} {took:6.0f} s of {within:.0f}, drew "
                    f"{grade.budget.drawn:g} of {grade.budget.seconds:g} s, score {grade.score:g}, "
                    f"verdicts {grade.verdicts[:12]}"
                )
    sys.exit(1 if failed else 0)


def submissions(place: Path) -> dict[str, Path]:
    """The handout with hanging function bodies, and a half-finished submission."""
    found = {"half": REPOSITORY / "tests" / "submissions" / "half_finished"}
    for name, body in _HANGS.items():
        found[name] = place / name
        package = place / name / "resource_accounting"
        shutil.copytree(REPOSITORY / "handout" / "resource_accounting", package)
        for file in package.rglob("*.py"):
            file.write_text(_STUB.sub(body, file.read_text(encoding="utf-8")), encoding="utf-8")
    return found


def grade_in(
    submission: Path, place: Path, situation: Situation, budget: float | None, nonce: str
) -> Grade | None:
    """Grades a submission in a situation; None if that is not possible on this machine."""
    out = place / "out"
    shutil.rmtree(out, ignore_errors=True)
    command = [
        *(sys.executable, "-m", "grader", "grade", str(submission), "--out", str(out)),
        *("--nonce", nonce, "--timing", "skip"),
        *(("--budget", str(budget)) if budget is not None else ()),
    ]
    cores = sorted(os.sched_getaffinity(0))[: situation.lanes]
    if len(cores) < situation.lanes:
        return None
    with ExitStack() as stack:
        tasks = None
        if situation.half:
            tasks = stack.enter_context(half_core_cgroup())
            if tasks is None:
                return None
        stack.enter_context(busy_loops(situation.busy))

        def enter() -> None:
            os.sched_setaffinity(0, cores)
            if tasks is not None:
                tasks.write_text(str(os.getpid()))

        subprocess.run(
            command, cwd=REPOSITORY, preexec_fn=enter, stdout=subprocess.DEVNULL, check=True
        )
    return from_json((out / "grade.json").read_bytes())


@contextmanager
def half_core_cgroup() -> Iterator[Path | None]:
    """Creates a control group with half a core.

    Yields the file that takes its process ids, or None if this process may not create one.
    """
    group = None
    for root, file, value, tasks in _GROUPS:
        folder = Path(root, f"half-{os.getpid()}")
        try:
            folder.mkdir()
            (folder / file).write_text(value)
            group = folder / tasks
            break
        except OSError:
            if folder.is_dir():
                folder.rmdir()
    try:
        yield group
    finally:
        if group is not None:
            group.parent.rmdir()


if __name__ == "__main__":
    main()
