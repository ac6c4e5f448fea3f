"""The statistics of a race, checked by simulations whose true ratio is known."""

import math

import numpy as np
import pytest

from grader.races import statistic
from grader.races.statistic import LOOKS, Marks, block_log_ratio, interval


def blocks(rng, ratio, count, noise=0.02, drift=0.0, spikes=0.0):
    """Log ratios of blocks of runs S R R S, with log-normal noise, drift per run and slow runs."""
    for i in range(count):
        seconds = [
            base
            * math.exp(noise * rng.standard_normal() + drift * (4 * i + j))
            * (3 if rng.random() < spikes else 1)
            for j, base in enumerate((ratio, 1.0, 1.0, ratio))
        ]
        yield block_log_ratio(seconds)


def simulate_race(rng, ratio, marks, **conditions):
    """A whole race: its interval, and the number of its blocks."""
    ds = list(blocks(rng, ratio, LOOKS[-1], **conditions))
    for look in LOOKS:
        found = interval(ds[:look])
        if marks.decided(found):
            break
    return found, look


def test_drift_that_is_linear_in_time_cancels(rng):
    for ratio in rng.uniform(0.5, 3, size=20):
        drift = float(rng.uniform(-0.1, 0.1))
        for d in blocks(rng, ratio, 5, noise=0.0, drift=drift):
            assert math.exp(d) == pytest.approx(ratio)


def test_block_of_many_rounds_is_their_median():
    """So a single disturbed round has no effect"""
    steady, disturbed = [2.0, 1.0, 1.0, 2.0], [2.0, 1.0, 9.0, 2.0]
    assert math.exp(block_log_ratio(steady * 2 + disturbed)) == pytest.approx(2)
    assert statistic.places(disturbed * 2, statistic.CONTENDER) == [2.0] * 4
    assert statistic.places(disturbed * 2, statistic.REFERENCE) == [1.0, 9.0] * 2


def test_interval_holds_the_true_ratio_with_its_confidence(rng):
    """Noise need not be normal: here some runs take three times as long"""
    for count in LOOKS:
        held = 0
        for _ in range(1000):
            ratio = float(rng.uniform(0.8, 3))
            found = interval(list(blocks(rng, ratio, count, noise=0.05, spikes=0.05)))
            held += found.low <= ratio <= found.high
        assert held >= 980, (count, held)


def test_interval_is_as_narrow_as_its_confidence_allows(rng):
    """One pair mean further in on each side would hold the truth too rarely"""
    for count in LOOKS:
        rank = statistic._rank(count)
        signs = rng.integers(2, size=(100_000, count), dtype=np.int8)
        sums = signs @ np.arange(1, count + 1)  # of the ranks of the errors upwards
        assert 2 * (sums <= rank).mean() < 0.0125
        assert 2 * (sums <= rank + 1).mean() > (0.0075 if count > LOOKS[0] else 0.0115)
    assert [statistic._rank(count) for count in (8, 16, 32)] == [0, 19, 128]  # as in tables


def test_too_few_blocks_give_no_interval():
    with pytest.raises(ValueError, match="7 blocks give no interval of 99% confidence"):
        interval([0.0] * 7)
    assert interval([0.1] * 8) == statistic.Interval(*[math.exp(0.1)] * 3)


def test_reference_against_itself_earns_everything(rng):
    marks = Marks(3.0)
    races = [simulate_race(rng, 1.0, marks, noise=0.005) for _ in range(300)]
    assert {marks.earned(found) for found, _ in races} == {1.0}
    assert np.median([look for _, look in races]) == LOOKS[0]


def test_bands_are_even_in_log_time():
    marks = Marks(naive=1.1 * 16)
    assert marks.bounds == pytest.approx((1.1, 2.2, 4.4, 8.8))
    shares = [marks.of(ratio) for ratio in (0.3, 1.1, 1.11, 2.2, 2.3, 4.5, 8.9, 17.6, 100)]
    assert shares == [1, 1, 0.75, 0.75, 0.5, 0.25, 0, 0, 0]


def test_race_is_decided_when_it_is_precise_or_earns_nothing():
    """One that is undecided at its end gets the better mark"""
    marks = Marks(3.0)
    for ratio, width, enough in ((1.0, 0.05, False), (1.0, 0.015, True), (5.0, 0.5, True)):
        found = statistic.Interval(ratio, ratio - width, ratio + width)
        assert marks.decided(found) is enough
        assert found.half_width == pytest.approx(width / ratio)
    assert marks.earned(statistic.Interval(1.2, 1.05, 1.3)) == 1.0
    assert marks.earned(statistic.Interval(1.2, 1.15, 1.3)) == 0.75


def test_mark_is_the_true_one_or_one_band_better(rng):
    marks = Marks(3.0)
    for _ in range(300):
        ratio = float(rng.uniform(0.9, 3.3))
        found, _ = simulate_race(rng, ratio, marks, noise=0.02, drift=0.001, spikes=0.02)
        assert marks.of(ratio) <= marks.earned(found) <= marks.of(ratio) + 0.25
