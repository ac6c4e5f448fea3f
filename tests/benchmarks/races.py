"""How exact races are on this CPU, for programs whose ratio is known. Prints figures.

make campaign NAME=races   200 races of the reference against itself and 100 of each slower program
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.table import Table

from grader.judge.grader import Grader
from grader.races.statistic import Interval
from grader.results.record import Timing
from tests.harness.races import racing

SLOWER = (1.05, 1.5, 3.0)
_PROGRESS_EVERY = 25  # races between two lines of figures: all races take hours
console = Console()


def main() -> None:
    """Races the reference against itself, then against programs that are slower by known ratios."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--races", type=int, default=200, help="of the reference against itself")
    parser.add_argument("--slower", type=int, default=100, help="races of each slower program")
    parser.add_argument(
        "times", nargs="*", type=float, default=(1.0, *SLOWER), help="ratios to race"
    )
    options = parser.parse_args()
    table = Table(title="Races on this CPU")
    for column in (
        "times",
        "races",
        "ratio",
        "in interval",
        "1 is not",
        "±",
        "blocks",
        "s",
        "mark",
    ):
        table.add_column(column, justify="right")
    with (
        tempfile.TemporaryDirectory() as text,
        racing.grader_for(Path(text) / "race", racing.HASHES) as grader,
    ):
        for times in options.times:
            folder = Path(text) / str(times)
            racing.submission(folder, racing.HASHES, racing.HASHES.module_text(times))
            count = options.races if times == 1 else options.slower
            table.add_row(f"{times:g}", *_raced(grader, folder, times, count))
        console.print(table)


def _raced(grader: Grader, folder: Path, times: float, count: int) -> list[str]:
    timings: list[Timing] = []
    seconds: list[float] = []
    for done in range(1, count + 1):
        begun = time.monotonic()
        (check,) = grader.grade(folder).checks
        seconds.append(time.monotonic() - begun)
        if check.timing is not None:
            timings.append(check.timing)
        if done % _PROGRESS_EVERY == 0 and timings:
            console.print(f"{times:g} times:", *_row(timings, seconds, times))
    return _row(timings, seconds, times) if timings else [f"0 of {count}", *[""] * 7]


def _row(timings: list[Timing], seconds: list[float], times: float) -> list[str]:
    within = sum(t.low <= times <= t.high for t in timings)
    without_one = sum(not t.low <= 1 <= t.high for t in timings)
    widths = [Interval(t.ratio, t.low, t.high).half_width for t in timings]
    blocks = statistics.mean(len([q for q in t.quads if not q.void]) for t in timings)
    marks = Counter(t.mark for t in timings)
    return [
        f"{len(timings)} of {len(seconds)}",
        f"{statistics.median(t.ratio for t in timings):.3f}",
        f"{within / len(timings):.1%}",
        f"{without_one / len(timings):.1%}",
        f"{statistics.median(widths):.2%}",
        f"{blocks:.1f}",
        f"{statistics.median(seconds):.1f}",
        ", ".join(f"{mark:g}: {n}" for mark, n in sorted(marks.items())),
    ]


if __name__ == "__main__":
    main()
