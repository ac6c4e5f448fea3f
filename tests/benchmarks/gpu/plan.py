"""How long the tests of all six programs should take on an H100.

It counts the workers that a test starts and the runs that they make; a test of the harness compares
these counts with those of a race. What a start and a run take was measured on an H100, except for
`adamw`, whose tensors were smaller then.
"""

from __future__ import annotations

from assignment import programs
from assignment.hardware import load
from grader.judge.timing import race, truth
from grader.judge.timing.rules import RULES, RaceRules

SECONDS = 480.0  # that all six may take together
# Seconds from a worker's fork to its first run, without those that warm it up. Training loads the
# kernels of attention; batches are drawn and pinned.
_STARTS = {"matmul_chain": 1.0, "training": 2.4, "adamw": 1.2, "batches": 1.8}
_START = 1.0  # of the other programs
# Seconds of a run of the reference and of the naive program.
_RUNS = {"matmul_chain": (0.176, 2.11), "batches": (0.0265, 0.0444)}
_TRAINING_STEP = 0.2266 / 20, 1.846 / 20
_LAUNCH = 7.1e-6  # seconds to start a kernel
_NAIVE_KERNELS = 12  # of naive AdamW for each tensor
_PASSES = 25  # over all parameters, that the reference's kernels and the gradients make in a step
_OF_PEAK = 0.9  # of a data sheet's bytes per second, or FLOP/s in fp32, that is reached
_DEVICE = "H100 SXM"


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
    return workers * _STARTS[name] + quick * reference + slow * naive


def of_a_run(name: str) -> tuple[float, float]:
    """Seconds of a run of the reference and of the naive program."""
    if name in _RUNS:
        return _RUNS[name]
    h100 = load()[_DEVICE]
    sizes = programs.find(name).sizes_on("cuda", h100.capacity)
    steps = sizes["steps"]
    if name == "training":
        reference, naive = _TRAINING_STEP
        return steps * reference, steps * naive
    moved = 4 * sizes["tensors"] * sizes["elements"] * _PASSES
    reference = moved / (_OF_PEAK * h100.bandwidth)
    return steps * reference, steps * sizes["tensors"] * _NAIVE_KERNELS * _LAUNCH


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
