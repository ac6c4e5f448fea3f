"""Grades code that hangs in every function, on machines of several kinds: `make hangs`.

    python -m tests.harness.hangs

Each grading has to end within its printed bound, and the states of all checks have to be the same
wherever it ran: alone, beside four busy loops, on half a core, in one lane and in two. So does a
half-finished submission, for which the budget is not touched.
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
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from grader.results.record import Grade, from_json
from tests.harness.container import REPOSITORY
from tests.harness.gates import busy

_STUB = re.compile(r"raise NotImplementedError\(.*?\n? *\)\n", re.DOTALL)
_HANGS = {"loops": "while True: pass\n", "sleeps": "__import__('time').sleep(10**6)\n"}
_GROUPS = (  # a folder of control groups, the file that halves a core there, and what it takes
    ("/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", "50000", "tasks"),
    ("/sys/fs/cgroup", "cpu.max", "50000 100000", "cgroup.procs"),
)
# The start, which the bound leaves out: torch is loaded twice.
_START = 30.0


@dataclass(frozen=True)
class Situation:
    """Where a submission is graded. `share`: of a core that it gets at least."""

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
    """Grades each submission in each situation; the exit status is 1 if any grade differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--budget", type=float, default=None, help="the manifest's if left out")
    parser.add_argument("--nonce", default="hangs")
    options = parser.parse_args()
    console = Console(highlight=False, soft_wrap=True)
    failed = False
    with tempfile.TemporaryDirectory() as place:
        for name, submission in submissions(Path(place)).items():
            seen: set[str] = set()
            for situation in SITUATIONS:
                began = time.monotonic()
                grade = graded(submission, Path(place), situation, options.budget, options.nonce)
                if grade is None:
                    console.print(f"{name:8} {situation.name}: cannot be had on this machine")
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
    """The handout with other bodies, and a half-finished submission."""
    found = {"half": REPOSITORY / "tests" / "harness" / "submissions" / "half_finished"}
    for name, body in _HANGS.items():
        found[name] = place / name
        shutil.copytree(
            REPOSITORY / "handout" / "resource_accounting", place / name / "resource_accounting"
        )
        for file in (place / name).rglob("*.py"):
            text = file.read_text(encoding="utf-8")
            file.write_text(_STUB.sub(body, text), encoding="utf-8")
    return found


def graded(
    submission: Path, place: Path, situation: Situation, budget: float | None, nonce: str
) -> Grade | None:
    """The grade of a submission in a situation; None where the machine does not offer that."""
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
            tasks = stack.enter_context(half_a_core())
            if tasks is None:
                return None
        stack.enter_context(busy(situation.busy))

        def enter() -> None:
            os.sched_setaffinity(0, cores)
            if tasks is not None:
                tasks.write_text(str(os.getpid()))

        subprocess.run(
            command, cwd=REPOSITORY, preexec_fn=enter, stdout=subprocess.DEVNULL, check=True
        )
    return from_json((out / "grade.json").read_bytes())


@contextmanager
def half_a_core() -> Iterator[Path | None]:
    """A control group of half a core: the file that takes its processes; None without the right."""
    for root, file, value, tasks in _GROUPS:
        group = Path(root, f"half-{os.getpid()}")
        try:
            group.mkdir()
            (group / file).write_text(value)
        except OSError:
            if group.is_dir():
                group.rmdir()
            continue
        try:
            yield group / tasks
        finally:
            group.rmdir()
        return
    yield None


if __name__ == "__main__":
    main()
