"""Many gradings in one run, of good, wrong and hostile submissions by turns: `make endurance`.

    python -m tests.harness.endurance --gradings 1000

Every mark must be right, no process may be left, and the judge may not grow. What is held is
printed as it goes; the run ends at the first surprise.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from assignment import manifest
from grader.authoring.variants import SOLUTIONS, Wrong, all_wrong
from grader.judge.grader import Grader
from tests.harness.assertions import assert_earns_nothing, assert_nothing_left, time_limit
from tests.harness.attacks import CAUSES, NEVER_ENDS, target_of
from tests.harness.conftest import HOSTILE, new_quick_grader, processes_of

GROWTH = 8 * 2**20  # bytes of memory between the first tenth's median and the last's


@dataclass(frozen=True)
class Held:
    """What a process holds, in bytes and in open descriptors."""

    memory: int
    descriptors: int


def main() -> None:
    """Grades by turns, and says what the judge and its zygote hold."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--gradings", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    options = parser.parse_args()
    console = Console()
    console.print(f"{options.gradings} gradings, seed {options.seed}")
    with tempfile.TemporaryDirectory() as place:
        endure(Path(place), options.gradings, options.seed, console)


def endure(place: Path, gradings: int, seed: int, console: Console) -> None:
    """Grades so many submissions with one judge.

    Args:
        place: an empty folder, for wrong submissions.
        gradings: how many.
        seed: draws their order.
        console: where it says how it goes.

    Raises:
        AssertionError: a mark was wrong, something was left behind, or the judge grew.
    """
    done: Counter[str] = Counter()
    wrong = {w.path.stem: w for w in all_wrong(manifest.load())}
    held: dict[str, list[Held]] = {"judge": [], "zygote": []}
    with new_quick_grader(place / "repository") as grader:
        grader.grade(HOSTILE / "nan", only=["storage_index", "get_batch"])
        idle = processes_of(grader)
        for number, (kind, name) in enumerate(_drawn(grader, wrong, gradings, seed), 1):
            _grade(grader, kind, name, wrong, place)
            assert_nothing_left(grader, idle)
            done[kind] += 1
            held["judge"].append(_held(os.getpid()))
            held["zygote"].append(_held(grader.zygote._process.pid))
            if number % max(gradings // 10, 1) == 0:
                console.print(f"{number}: {', '.join(_say(n, h[-1]) for n, h in held.items())}")
    console.print(_table(held))
    console.print(f"every mark right: {', '.join(f'{n} {kind}' for kind, n in done.items())}")
    for name, values in held.items():
        tenth = max(len(values) // 10, 1)
        # The first gradings still load what all later ones share.
        early, late = values[tenth : 2 * tenth] or values, values[-tenth:]
        grown = _median(late) - _median(early)
        assert grown <= GROWTH, f"the {name} grew by {grown / 2**20:.1f} MiB"
        most = max(h.descriptors for h in late)
        assert most <= max(h.descriptors for h in early), f"the {name} holds {most} descriptors"


def _drawn(
    grader: Grader, wrong: dict[str, Wrong], gradings: int, seed: int
) -> Iterator[tuple[str, str]]:
    """Kinds and names of submissions, half of them hostile, each as often as the others."""
    rng = random.Random(seed)
    exercises = [exercise.id for exercise in grader.manifest]
    decks: dict[str, list[str]] = {"hostile": [], "good": [], "wrong": []}
    full = {
        "hostile": list(CAUSES),
        "good": exercises,
        "wrong": [name for name, w in wrong.items() if w.exercise.id in exercises],
    }
    for _ in range(gradings):
        kind = rng.choice(["hostile", "hostile", "good", "wrong"])
        if not decks[kind]:
            decks[kind] = rng.sample(full[kind], len(full[kind]))
        yield kind, decks[kind].pop()


def _grade(grader: Grader, kind: str, name: str, wrong: dict[str, Wrong], place: Path) -> None:
    if kind == "hostile":
        exercise = target_of(HOSTILE / name)
        with nullcontext() if name in NEVER_ENDS else time_limit(grader, 60.0):
            grade = grader.grade(HOSTILE / name, only=[exercise])
        assert_earns_nothing(grade, exercise, CAUSES[name].causes)
        return
    if kind == "good":
        with time_limit(grader, 60.0):
            grade = grader.grade(SOLUTIONS, only=[name])
        assert grade.score == grade.max_score > 0, (name, grade.checks)
    else:
        folder = wrong[name].write(place / "wrong")
        with time_limit(grader, 60.0):
            grade = grader.grade(folder, only=[wrong[name].exercise.id])
        shutil.rmtree(folder)
        assert grade.score is not None
        assert grade.score < grade.max_score, name
    assert grade.faults == ()


def _held(pid: int) -> Held:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    descriptors = len(os.listdir(f"/proc/{pid}/fd"))  # noqa: PTH208
    return Held(pages * os.sysconf("SC_PAGE_SIZE"), descriptors)


def _median(values: list[Held]) -> float:
    return statistics.median(h.memory for h in values)


def _say(name: str, held: Held) -> str:
    return f"{name} {held.memory / 2**20:.1f} MiB, {held.descriptors} descriptors"


def _table(held: dict[str, list[Held]]) -> Table:
    table = Table(title="Held after a grading: median of each tenth of the run, MiB")
    table.add_column("")
    for tenth in range(1, 11):
        table.add_column(str(tenth), justify="right")
    for name, values in held.items():
        step = max(len(values) // 10, 1)
        parts = [values[i : i + step] for i in range(0, step * 10, step)]
        table.add_row(name, *(f"{_median(part) / 2**20:.0f}" for part in parts if part))
    return table


if __name__ == "__main__":
    main()
