"""Many gradings by one grader: good, wrong and hostile submissions in turn.

    python -m tests.campaigns.endurance --gradings 1000

Every mark must be right, no process may be left, and the judge's memory may not grow. Memory and
descriptors are printed from time to time; the run ends at the first failure.
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
from pathlib import Path
from typing import NamedTuple

from assignment import manifest
from grader.authoring.variants import SOLUTIONS, Wrong, all_wrong
from grader.judge.grader import Grader
from tests.harness.conftest import new_quick_grader, processes_of
from tests.harness.hostile.assertions import assert_earns_nothing, assert_nothing_left, time_limit
from tests.harness.hostile.attacks import CAUSES, NEVER_ENDS
from tests.harness.hostile.hand_in import hand_in, target_of

# Allowed growth in MiB, from the median of the second tenth of the gradings to that of the last.
GROWTH = 8


class Resources(NamedTuple):
    """What a process uses: MiB of memory, and the number of open descriptors."""

    mib: float
    descriptors: int


def main() -> None:
    """Grades submissions, and prints the resources of the judge and its zygote."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--gradings", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    options = parser.parse_args()
    print(f"{options.gradings} gradings, seed {options.seed}")
    with tempfile.TemporaryDirectory() as place:
        grade_many(Path(place), options.gradings, options.seed)


def grade_many(place: Path, gradings: int, seed: int) -> None:
    """Grades `gradings` submissions, in an order that `seed` draws, with one grader.

    `place` is an empty folder, for the tests and for submissions.

    Raises:
        AssertionError: a mark was wrong, something was left behind, or a process grew.
    """
    done: Counter[str] = Counter()
    wrong = {w.path.stem: w for w in all_wrong(manifest.load(), hidden=True)}
    held: dict[str, list[Resources]] = {"judge": [], "zygote": []}
    tenth = max(gradings // 10, 1)
    with new_quick_grader(place / "repository") as grader:
        grader.grade(hand_in("nan", place / "first"), only=["storage_index", "get_batch"])
        idle_processes = processes_of(grader)
        for number, (kind, name) in enumerate(_draw_submissions(grader, wrong, gradings, seed), 1):
            _grade(grader, kind, name, wrong, place)
            assert_nothing_left(grader, idle_processes)
            done[kind] += 1
            held["judge"].append(_resources_of(os.getpid()))
            held["zygote"].append(_resources_of(grader.zygote._process.pid))
            if number % tenth == 0:
                for name, values in held.items():
                    mib, descriptors = _median(values[-tenth:]), values[-1].descriptors
                    print(f"{number}: {name} {mib:.1f} MiB, {descriptors} descriptors", flush=True)
    print(f"every mark right: {', '.join(f'{n} {kind}' for kind, n in done.items())}")
    for name, values in held.items():
        # The first tenth is left out: its gradings still load what all later ones share.
        early, late = values[tenth : 2 * tenth] or values, values[-tenth:]
        grown = _median(late) - _median(early)
        assert grown <= GROWTH, f"the {name} grew by {grown:.1f} MiB"
        most = max(h.descriptors for h in late)
        assert most <= max(h.descriptors for h in early), f"the {name} holds {most} descriptors"


def _draw_submissions(
    grader: Grader, wrong: dict[str, Wrong], gradings: int, seed: int
) -> Iterator[tuple[str, str]]:
    """Draws submissions as (kind, name): half of them hostile, and within a kind equally often."""
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
        exercise, folder = target_of(name), hand_in(name, place / "hostile")
        with nullcontext() if name in NEVER_ENDS else time_limit(grader, 60.0):
            grade = grader.grade(folder, only=[exercise])
        shutil.rmtree(folder)
        assert_earns_nothing(grade, exercise, CAUSES[name].causes)
        return
    folder, exercise = SOLUTIONS, name
    if kind == "wrong":
        folder, exercise = wrong[name].write(place / "wrong"), wrong[name].exercise.id
    with time_limit(grader, 60.0):
        grade = grader.grade(folder, only=[exercise])
    shutil.rmtree(place / "wrong", ignore_errors=True)
    assert grade.score is not None
    is_full = all(one.points == one.max_points > 0 for one in grade.exercises)
    assert is_full == (kind == "good"), (name, grade.checks)
    assert grade.faults == ()


def _resources_of(pid: int) -> Resources:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    descriptors = len(os.listdir(f"/proc/{pid}/fd"))  # noqa: PTH208
    return Resources(pages * os.sysconf("SC_PAGE_SIZE") / 2**20, descriptors)


def _median(values: list[Resources]) -> float:
    return statistics.median(h.mib for h in values)


if __name__ == "__main__":
    main()
