"""How long a student waits, from a save to the verdict. Prints figures; asserts nothing.

    python -m tests.benchmarks.watch

`make watch` in a terminal of its own, and `make test EX=…` without make, in turn.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from assignment import manifest
from grader.authoring.variants import SOLUTIONS
from tests.harness.assignment.test_watch import PROMPT, Terminal
from tests.harness.conftest import REPOSITORY

EXERCISES = ("storage_index", "gather", "xavier", "get_batch")
WRONG = """
_right = {function}


def {function}(*args, **kwargs):
    _right(*args, **kwargs)
"""


def main() -> None:
    """Saves a file so often for each exercise, and prints the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=4, help="saves for each exercise")
    options = parser.parse_args()
    times: dict[str, list[float]] = {"make watch": [], "make test EX=…": []}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "handout"
        shutil.copytree(REPOSITORY / "handout", folder)
        package = folder / "resource_accounting"
        shutil.copytree(SOLUTIONS / "resource_accounting", package, dirs_exist_ok=True)
        for name in EXERCISES:
            exercise = manifest.load().named(name)[0]
            path = package / f"{exercise.modules[0]}.py"
            # It computes what it should and returns nothing, so that the exercise is not left.
            function = exercise.functions[0].partition(".")[2]
            text = path.read_text(encoding="utf-8") + WRONG.format(function=function)
            path.write_text(text, encoding="utf-8")
            terminal = Terminal(folder, name)
            terminal.shown(PROMPT)
            for run in range(options.runs):
                begun = time.perf_counter()
                terminal.save(path.stem, f"{text}# {run}\n")
                shown = terminal.shown(PROMPT)
                times["make watch"].append(time.perf_counter() - begun)
                assert f"[{name}, " in shown, f"{name}: {shown}"
                begun = time.perf_counter()
                subprocess.run(
                    [sys.executable, "-X", "utf8", "-m", "pytest", "--ex", name],
                    cwd=folder,
                    env={k: v for k, v in os.environ.items() if not k.startswith("PYTEST")},
                    capture_output=True,
                    check=False,
                )
                times["make test EX=…"].append(time.perf_counter() - begun)
            terminal.close()
    table = Table(title="From a save to the verdict, wall seconds")
    for column in ("", "median", "worst"):
        table.add_column(column, justify="left" if not column else "right")
    for name, values in times.items():
        table.add_row(name, f"{statistics.median(values):.2f}", f"{max(values):.2f}")
    Console().print(table)


if __name__ == "__main__":
    main()
