"""How fast the grader is, compared with plain pytest. Prints figures; asserts nothing.

    make bench

Each ratio compares two commands that run in turn, so changes of the machine's speed affect both.
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table

from assignment import manifest as manifests
from grader.authoring.variants import SOLUTIONS
from grader.intake.stage import stage
from grader.isolation import TIERS
from grader.supervisor.budget import TimeBudget
from grader.supervisor.worker import Worker
from grader.supervisor.zygote import Zygote

ROOT = Path(__file__).resolve().parents[2]
_CLASS = 5  # submissions
console = Console()
# A module of the submission that computes nothing: a call costs only the way there and back.
ECHO = """
import functools
import torch

def size_of(tensor):
    return tensor.nbytes

@functools.cache
def ones_of(size):
    return torch.ones(size // 4)
"""


def main() -> None:
    """Runs both benchmarks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5, help="number of runs of each command")
    parser.add_argument("--workers", type=int, default=100, help="workers to start in each tier")
    options = parser.parse_args()
    torch.set_num_threads(1)
    tiers = workers(options.workers)
    if options.runs:
        if "A" in tiers and os.geteuid() == 0:
            workers_in_a_container(options.workers)
        whole_gradings(options.runs)


def whole_gradings(runs: int) -> None:
    """Gradings of the reference, and plain pytest on the same tests in one process."""
    grader = [sys.executable, "-m", "grader"]
    plain = [
        *(sys.executable, "-m", "pytest", "-c", str(ROOT / "grader/judge/judge.ini")),
        *("--rootdir", str(ROOT / "tests"), "--submission", str(SOLUTIONS), "--capture=no"),
        *(str(ROOT / "tests/public"), str(ROOT / "tests/hidden")),
    ]
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        for number in range(_CLASS):
            student = folder / "class" / f"student-{number}" / "resource_accounting"
            shutil.copytree(SOLUTIONS / "resource_accounting", student)
        commands = {  # with how many submissions each grades
            "plain pytest": (plain, 1),
            "grader grade": ([*grader, "grade", str(SOLUTIONS)], 1),
            f"grader class, of {_CLASS}": ([*grader, "class", str(folder / "class")], _CLASS),
            "grader grade, of stubs": ([*grader, "grade", str(ROOT / "handout")], 1),
        }
        taken: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
        for run in range(runs):
            for name, (command, submissions) in commands.items():
                out = [] if command is plain else ["--out", str(folder / name / str(run))]
                cpu, wall = _cost([*command, *out])
                taken[name].append((cpu / submissions, wall / submissions))
    table = Table(title="Seconds a submission, medians, and how often plain pytest's")
    for column in ("", "CPU", "", "wall", ""):
        table.add_column(column, justify="left" if not table.columns else "right")
    for name, costs in taken.items():
        cells = []
        for kind in (0, 1):
            mine, base = ([cost[kind] for cost in c] for c in (costs, taken["plain pytest"]))
            ratios = [one / other for one, other in zip(mine, base, strict=True)]
            cells += [f"{statistics.median(mine):.1f}", f"{statistics.median(ratios):.2f}"]
        table.add_row(name, *cells)
    console.print(table)


def _cost(command: list[str]) -> tuple[float, float]:
    """The CPU time of a command and all it waits for, on one thread, and its wall time."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False)
    wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        console.print(done.stdout.decode()[-2000:], done.stderr.decode()[-2000:])
        raise SystemExit(f"{' '.join(command[2:4])} failed with {done.returncode}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def workers_in_a_container(count: int) -> None:
    """Measures tier B: in a container without namespaces, as with Docker's defaults."""
    console.print("As in a container:")
    own = [sys.executable, __file__, "--runs", "0", "--workers", str(count)]
    container = [sys.executable, "-m", "tests.harness.container", "docker", "--"]
    subprocess.run([*container, *own], cwd=ROOT, check=True)


def workers(count: int) -> list[str]:
    """Measures a worker's start, calls and transfers in each tier that works here.

    Returns those tiers.
    """
    tried = Zygote(TIERS, (), only_try=True)
    tried.wait()
    tried.close()
    tiers = [tier for tier in TIERS if not tried.refused[tier]]
    table = Table(title="One worker, medians")
    table.add_column()
    for title in (*(f"tier {tier}" for tier in tiers), "no isolation"):
        table.add_column(title, justify="right")
    columns = [_figures(tier, count) for tier in (*tiers, "none")]
    for name in columns[0]:
        table.add_row(name, *(column[name] for column in columns))
    console.print(table)
    return tiers


def _figures(tier: str, count: int) -> dict[str, str]:
    manifest = manifests.load()
    zygote = Zygote((tier,), ())
    try:
        zygote.wait()
        staged = zygote.submissions / "bench"
        stage(SOLUTIONS, staged, manifest.package, manifest.modules)
        (staged / manifest.package / "echo.py").write_text(ECHO)

        def start() -> Worker:
            process = zygote.fork_worker(staged, zygote.new_scratch())
            worker = Worker(zygote, process, TimeBudget(math.inf))
            worker.wait_until_ready()
            return worker

        def start_and_end() -> tuple[float, float]:
            begun = time.perf_counter()
            worker = start()
            ready = time.perf_counter()
            worker.kill()
            zygote.drain()
            return ready - begun, time.perf_counter() - ready

        starts, ends = zip(*(start_and_end() for _ in range(count)), strict=True)
        worker = start()
        worker.go(manifest.package, manifest.limits, 0)
        scalar: tuple[str, tuple[int, ...], dict[str, object]]
        scalar = ("flops.matmul_flops", (1024, 256, 64), {})
        worker.call(*scalar)
        calls = [_timed(lambda: worker.call(*scalar)) for _ in range(2000)]
        there, back = _transfer(worker)
        worker.kill()
    finally:
        zygote.close()
    return {
        "fork to locked and ready, ms": f"{statistics.median(starts) * 1e3:.1f}",
        "killed to gone, ms": f"{statistics.median(ends) * 1e3:.1f}",
        "call with scalars, µs": f"{statistics.median(calls) * 1e6:.0f}",
        "64 MB to the worker, GB/s": f"{there:.2f}",
        "64 MB back, GB/s": f"{back:.2f}",
    }


def _transfer(worker: Worker) -> tuple[float, float]:
    """GB/s of a 64 MB tensor to the worker (which returns its size), and back from it."""
    size = 64_000_000
    tensor = torch.rand(size // 4)
    small: dict[str, object] = {}
    there = [_timed(lambda: worker.call("echo.size_of", (tensor,), small)) for _ in range(15)]
    back = [_timed(lambda: worker.call("echo.ones_of", (size,), small)) for _ in range(15)]
    return size / statistics.median(there) / 1e9, size / statistics.median(back) / 1e9


def _timed(call: Callable[[], object]) -> float:
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
