"""How long the tests of all six programs should take on an H100. A plan: nothing in it is measured.

It counts the workers that a test starts and the runs that they make; a test of the harness compares
these counts with those of a race. What a start and a run take is assumed here.
"""

from __future__ import annotations

from assignment import programs
from assignment.hardware import load
from grader.judge.timing import race, truth
from grader.judge.timing.rules import RULES, RaceRules

SECONDS = 480.0  # that all six may take together
# Assumed: seconds from a worker's fork to its first run, without the runs that warm it up.
_START = 1.0
_OF_PEAK = 0.5  # of a data sheet's FLOP/s that a program reaches
_LAUNCH = 5e-6  # seconds to start a kernel, as the text has it
_COPY = 50e9  # bytes a second from pinned memory, by PCIe 5
_DEVICE = "H100 SXM"
_NAIVE_KERNELS = 12  # of naive AdamW for each tensor; the reference takes as long as one


def planned() -> dict[str, float]:
    """Seconds by program: of a race of the reference with itself, or of its other test."""
    raced = ("matmul_chain", "training", "adamw", "batches")
    return {name: _race(name) for name in raced} | {"recompute": _fit(), "timer": _truth()}


def counts(rules: RaceRules) -> tuple[int, int, int]:
    """Of a race that ends at its first look: workers, runs at the reference's pace, naive runs."""
    exact, naive, blocks = race._EXACT_RUNS, rules.naive_blocks, rules.looks[0]
    place = programs.WARM_UPS + rules.runs
    workers = 2 * exact + 4 * (naive + blocks)
    quick = exact * (programs.WARM_UPS + 1) + place * (2 * naive + 4 * blocks)
    return workers, quick, exact + 2 * naive * (rules.naive_warm_ups + rules.naive_runs)


def _race(name: str) -> float:
    workers, quick, slow = counts(RULES["cuda"])
    reference, naive = of_a_run(name)
    return workers * _START + quick * reference + slow * naive


def of_a_run(name: str) -> tuple[float, float]:
    """Seconds of a run of the reference and of the naive program."""
    h100 = load()[_DEVICE]
    kind = programs.find(name)
    sizes = kind.sizes_on("cuda", h100.capacity)
    flops, moved = kind.work(sizes)
    slow = flops / (_OF_PEAK * h100.peak("fp32"))
    if name == "batches":
        return max(slow, moved / _COPY), slow + moved / _COPY
    if name == "adamw":
        kernels = sizes["tensors"] * sizes["steps"]
        return _LAUNCH * kernels, _LAUNCH * _NAIVE_KERNELS * kernels
    return flops / (_OF_PEAK * h100.peak("bf16")), slow


def _fit() -> float:
    """A worker for reference, naive program and each budget, each beside one that holds memory."""
    budgets = programs.find("recompute").budgets({"elements": 1})
    return 2 * (2 + len(budgets)) * _START


def _truth() -> float:
    """Calls of the timed function: seven in each run of the timer, and those of our own clock."""
    h100 = load()[_DEVICE]
    sizes = programs.find("timer").sizes_on("cuda", h100.capacity)
    call = 2.0 * sizes["n"] ** 3 * (sizes["products"] + 20) / (_OF_PEAK * h100.peak("fp32"))
    calls = 7 * (2 * programs.WARM_UPS + 1) + truth._FEW + truth._MANY
    return truth._ROUNDS * (2 * _START + calls * call)
