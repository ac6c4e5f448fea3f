"""The numbers that decide a race, for each kind of device. A test replaces the whole object."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from grader.judge.timing.statistic import LEAST_SPAN, LOOKS, Interval, interval

MAX_RUNS = 10  # in one place of a round


@dataclass(frozen=True)
class RaceRules:
    """
    Attributes:
        max_drift: how far the reference may be from its first runs before a block is void, as a
            share.
        max_spread: how far its two runs in a round may be from each other, as a share.
        block_seconds: that the runs of a block take together, at least.
        place_seconds: after which a party makes no further run in its place of a round; the
            reference makes as many runs as it expects to need for that, 1 to `MAX_RUNS`.
        naive_warm_ups: of the naive program in each of its places.
        naive_blocks: of reference and naive program, before the submission's first.
        looks: numbers of blocks after which a race may stop.
        least_span: naive / reference; below that the device cannot rank programs.
        slack: seconds that any run and any warm-up may take beside a multiple of our programs'.
        interval: from the log ratios of blocks to a ratio with its bounds.
    """

    max_drift: float
    max_spread: float
    block_seconds: float
    place_seconds: float = 0.0
    naive_warm_ups: int = 2
    naive_blocks: int = 4
    looks: tuple[int, ...] = LOOKS
    least_span: float = LEAST_SPAN
    slack: float = 1.0
    interval: Callable[[Sequence[float]], Interval] = interval


RULES: Mapping[str, RaceRules] = {
    # A shared core changes its speed by half within milliseconds, and for seconds. The error of a
    # block falls with the number of its rounds, and not with the length of its runs.
    "cpu": RaceRules(max_drift=3.0, max_spread=1.0, block_seconds=0.4),
    # A place takes a new worker, whose start takes as long as several runs. Single runs vary by 15%
    # while the device limits its power; their mean over half a second varies by 0.4%. The naive
    # program would take most of a race's time, for a ratio that need not be exact. Copies from the
    # host became 3% faster within a minute; the order of places cancels such a drift. Steps of an
    # optimizer take up to 4% longer in one process than in the next on a device that is idle.
    "cuda": RaceRules(
        max_drift=0.05,
        max_spread=0.06,
        block_seconds=0.0,
        place_seconds=0.6,
        naive_warm_ups=1,
        naive_blocks=1,
    ),
}
