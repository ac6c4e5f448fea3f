"""The statistics of a race: a ratio, an interval around it, a mark, when to stop, and the rules
for each kind of device.

A block consists of rounds of four runs in the order S R R S, of the submission and the reference. A
round's log ratio d = mean log S - mean log R cancels any drift that is linear in time; a block's d
is the median over its rounds. The ratio of a race is exp(m), where m is the median of the means of
all pairs of its blocks' d (Hodges and Lehmann, 1963). The interval lies between two of those means,
by Wilcoxon's signed ranks. It is exact if a block's error is symmetric, which the order of the runs
ensures. Nothing is resampled. With normal noise a sign test would need half as many blocks again.
"""

from __future__ import annotations

import functools
import itertools
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

CONTENDER, REFERENCE = (0, 3), (1, 2)  # places in a round
_ROUND = 4
LOOKS = (8, 16, 32, 64)  # blocks after which a race may stop
CONFIDENCE = 0.99  # of the interval, each time the race may stop
FULL_AT = 1.10  # times the reference's time: room for noise and for another way to write it
STEPS = 4  # bands that earn something, evenly spaced in log time
PRECISE = 0.02  # half-width of an interval that tells 1.05 from 1
LEAST_SPAN = 1.3  # naive / reference: below that a device cannot rank programs


@dataclass(frozen=True)
class Interval:
    """A ratio of times, and the bounds that hold it with `CONFIDENCE`."""

    ratio: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half the interval, as a share of the ratio."""
        return (self.high - self.low) / 2 / self.ratio


def places(seconds: Sequence[float], which: Sequence[int]) -> list[float]:
    """The runs of a block at these places of their round, `CONTENDER` or `REFERENCE`."""
    return [s for i, s in enumerate(seconds) if i % _ROUND in which]


def block_log_ratio(seconds: Sequence[float]) -> float:
    """The log of submission time / reference time in one block, from the seconds of its runs."""
    rounds = (seconds[i : i + _ROUND] for i in range(0, len(seconds), _ROUND))
    return statistics.median(
        sum(math.log(one[i]) for i in CONTENDER) / 2 - sum(math.log(one[i]) for i in REFERENCE) / 2
        for one in rounds
    )


def interval(log_ratios: Sequence[float]) -> Interval:
    """A race's ratio and interval, from its blocks' log ratios; ValueError if these are too few."""
    pairs = itertools.combinations_with_replacement(log_ratios, 2)
    means = sorted((a + b) / 2 for a, b in pairs)
    rank = _rank(len(log_ratios))
    return Interval(
        math.exp(statistics.median(means)), math.exp(means[rank]), math.exp(means[-1 - rank])
    )


@functools.cache
def _rank(count: int) -> int:
    """How many pair means of `count` blocks lie outside the interval on each side.

    By the exact distribution of Wilcoxon's signed-rank statistic, at `CONFIDENCE`.
    """
    ways = [1] + [0] * (count * (count + 1) // 2)  # of choosing ranks with each sum
    for rank in range(1, count + 1):
        for total in range(len(ways) - 1, rank - 1, -1):
            ways[total] += ways[total - rank]
    tails = itertools.accumulate(2 * number for number in ways)  # of 2**count, both together
    rank = sum(1 for tail in tails if tail <= (1 - CONFIDENCE) * 2**count) - 1
    if rank < 0:
        raise ValueError(f"{count} blocks give no interval of {CONFIDENCE:.0%} confidence; 8 do")
    return rank


@dataclass(frozen=True)
class Marks:
    """The bands of a race: the share of the points for each range of submission / reference.

    A ratio of `FULL_AT` or less earns all points, the naive program's ratio or more earns none. In
    between are bands whose bounds are evenly spaced in log time.
    """

    naive: float

    @property
    def bounds(self) -> tuple[float, ...]:
        """The highest ratio of each band that earns something, the best band first."""
        span = math.log(self.naive / FULL_AT)
        return tuple(FULL_AT * math.exp(span * i / STEPS) for i in range(STEPS))

    def of(self, ratio: float) -> float:
        """The share of the points that a ratio earns, 0 to 1."""
        return sum(ratio <= bound for bound in self.bounds) / STEPS

    def decided(self, found: Interval) -> bool:
        """Whether more blocks would change nothing: one band, and precise if it earns anything."""
        mark = self.of(found.low)
        return mark == self.of(found.high) and (mark == 0 or found.half_width <= PRECISE)

    def earned(self, found: Interval) -> float:
        """The share that a race earns: the best of the bands that its interval reaches."""
        return self.of(found.low)


MAX_RUNS = 10  # in one place of a round


@dataclass(frozen=True)
class RaceRules:
    """The numbers that decide a race; the reference's `max_drift` and `max_spread` are shares.

    After `place_seconds` a party makes no further run in its place of a round; the reference makes
    as many runs as it expects to need for that, 1 to `MAX_RUNS`.
    """

    max_drift: float  # from its first runs, before a block is void
    max_spread: float  # of its two runs in a round
    block_seconds: float  # that the runs of a block take together, at least
    place_seconds: float = 0.0
    naive_warm_ups: int = 2  # of the naive program in each of its places
    naive_blocks: int = 4  # of reference and naive program, before the submission's first
    looks: tuple[int, ...] = LOOKS
    least_span: float = LEAST_SPAN
    slack: float = 1.0  # seconds of any run and any warm-up beside a multiple of our programs'
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
