"""Timing, measured MFU and prefetching, on a simulated device whose time is known exactly."""

import itertools
import math
import statistics
import time

import numpy as np
import pytest
import torch

from assignment.expect import expect
from assignment.material.simulated import SimulatedDevice


def costs(rng, count):
    """Seconds as multiples of 1/1024, so that sums and differences are exact."""
    return [int(n) / 1024 for n in rng.integers(1, 1000, size=count)]


def timed(impl, rng, count, queued=0.0, reading=0.0, **settings):
    """The expected seconds of `count` calls, what `time_function` returned, and the device.

    Of three calls or more, the last takes no time.
    """
    launches, works = costs(rng, count), costs(rng, count)
    if count > 2:
        launches[-1] = works[-1] = 0.0
    # Late enough that float32 could not tell one reading from the next.
    now = float(rng.integers(2**35, 2**40))
    device = SimulatedDevice(launches, works, queued, now, reading)
    seconds = impl.device.time_function(
        device.function, synchronize=device.synchronize, clock=device.clock, **settings
    )
    return [a + b + reading for a, b in zip(launches, works, strict=True)], seconds, device


# --- time_function ------------------------------------------------------------


@pytest.mark.exercise("time_function", weight=2)
def test_the_devices_work_is_measured(impl, rng):
    """Each measurement, also a single one without a warm-up, is exactly the time of one call and of
    all the work that it queued; zeros and the order stay"""
    for repeats in (1, 2, 7):
        # Whoever reads a clock that is slow to read measures one reading.
        for reading in (0.0, 1 / 64):
            expected, seconds, _ = timed(
                impl, rng, repeats, reading=reading, warmup=0, repeats=repeats
            )
            expect(seconds, "seconds").close(expected, rtol=1e-12)


@pytest.mark.exercise("time_function")
def test_work_from_before_is_not_measured(impl, rng):
    """Work queued before the first measurement is not measured, even without a warm-up"""
    for more in costs(rng, 5):
        expected, seconds, _ = timed(impl, rng, 3, warmup=0, repeats=3, queued=1 + more)
        expect(seconds, "seconds").close(expected, rtol=1e-12)


@pytest.mark.exercise("time_function")
def test_warm_up_is_not_measured(impl, rng):
    """Warm-up calls come first, and neither they nor their work are measured"""
    for warmup, repeats in [(1, 2), (2, 2), (1, 4), (5, 3)] * 5:
        expected, seconds, _ = timed(impl, rng, warmup + repeats, warmup=warmup, repeats=repeats)
        expect(seconds, "seconds").close(expected[warmup:], rtol=1e-12)


@pytest.mark.exercise("time_function")
def test_as_many_calls_as_were_asked_for(impl, rng):
    """The function is called once for each warm-up and each measurement, and no more"""
    for warmup, repeats in rng.integers((1, 2), (6, 8), (10, 2)).tolist():
        expected, seconds, device = timed(impl, rng, 16, warmup=warmup, repeats=repeats)
        expect(device.calls, "calls").equals(warmup + repeats)
        expect(seconds, "seconds").close(expected[warmup : warmup + repeats], rtol=1e-12)


@pytest.mark.exercise("time_function", weight=0.5)
def test_defaults_of_timing(impl, rng):
    """By default there are two warm-up calls and five measurements"""
    expected, seconds, device = timed(impl, rng, 7)
    expect(seconds, "seconds").close(expected[2:], rtol=1e-12)
    expect(device.calls, "calls").equals(7)


@pytest.mark.exercise("time_function", weight=0.5)
def test_the_default_clock(impl, rng):
    """By default, also without CUDA, the clock measures real seconds, including sleep, in order"""
    # Each is far shorter than the one before it.
    lengths = np.array([0.002, 0.02, 0.012, 0.006, 0.001])  # the first is the warm-up's
    pauses = iter((lengths + rng.uniform(0, 0.002, 5)).tolist())
    slept = []

    def sleep():
        slept.append(next(pauses))
        time.sleep(slept[-1])

    start = time.perf_counter()
    seconds = impl.device.time_function(sleep, warmup=1, repeats=4)
    total = time.perf_counter() - start
    expect(len(slept), "calls").equals(5)
    expect(len(seconds), "measurements").equals(4)
    # All bounds hold however busy the machine is; the factors allow for inaccurate clocks.
    slow = [measured >= 0.999 * p - 1e-4 for measured, p in zip(seconds, slept[1:], strict=True)]
    expect(slow, "whether all of each sleep is measured").equals([True] * 4)
    expect(sum(seconds) <= 1.001 * total + 1e-4, "only what has passed is measured").equals(True)


@pytest.mark.exercise("time_function", weight=0.5)
def test_an_exception_of_the_function(impl, rng):
    """An exception of the function is raised on, and what was switched off is on again"""
    errors = (LookupError, RuntimeError, ValueError, ArithmeticError)
    cases = list(itertools.product([(1, 0), (2, 0), (1, 1), (1, 2)], errors))
    for (warmup, good), error in cases:
        costs_of_good = costs(rng, good + 1)
        device, failed = SimulatedDevice(costs_of_good, costs_of_good), []

        def function(device=device, good=good, error=error, failed=failed):
            if device.calls == good and not failed:  # the next call would do
                failed.append(error)
                raise error("the function has failed")
            device.function()

        with pytest.raises(error):
            impl.device.time_function(
                function,
                synchronize=device.synchronize,
                clock=device.clock,
                warmup=warmup,
                repeats=2,
            )
        expect(device.calls, "calls").equals(good)


# --- measured_mfu -------------------------------------------------------------


def measurements(rng, count):
    """Seconds of similar size in random order, and matching FLOPs and peak."""
    seconds = [float(s) for s in rng.uniform(0.01, 0.1, size=count)]
    return seconds, float(rng.uniform(1e12, 1e15)), float(rng.uniform(1e14, 1e15))


@pytest.mark.exercise("measured_mfu", weight=2)
def test_mfu_takes_the_median(impl, rng):
    """The MFU is FLOPs over time and peak, and of an odd number of measurements, in any order, the
    middle one counts; a tuple of them, too"""
    for count in (1, 3, 5, 9, 11):
        seconds, flops, peak = measurements(rng, count)
        middle = sorted(seconds)[count // 2]
        for given in (seconds, tuple(seconds)):
            expect(impl.device.measured_mfu(flops, given, peak), "MFU").close(
                flops / middle / peak, rtol=1e-12
            )
    slow, fast = max(seconds), min(seconds)
    for few in ([slow, fast, fast], [fast, slow, fast], [slow, fast, slow]):  # equal ones count
        expect(impl.device.measured_mfu(flops, few, peak), "MFU").close(
            flops / sorted(few)[1] / peak, rtol=1e-12
        )


@pytest.mark.exercise("measured_mfu")
def test_mfu_of_an_even_number(impl, rng):
    """For an even number of measurements, the mean of the middle two counts"""
    for count in (2, 4, 6, 10):
        seconds, flops, peak = measurements(rng, count)
        low, high = sorted(seconds)[count // 2 - 1 : count // 2 + 1]
        expect(impl.device.measured_mfu(flops, seconds, peak), "MFU").close(
            flops / ((low + high) / 2) / peak, rtol=1e-12
        )
    whole = int(rng.integers(1, 1000))
    expect(impl.device.measured_mfu(whole, [2, 1, 3, 2 * whole], 1), "MFU of ints").close(
        whole / statistics.median([2, 1, 3, 2 * whole]), rtol=1e-12
    )


@pytest.mark.exercise("measured_mfu")
def test_one_slow_run_changes_nothing(impl, rng):
    """Very slow and very fast outliers do not change the result"""
    for factor, worst in itertools.product((1e-3, 1e3, math.inf), range(5)):
        seconds, flops, peak = measurements(rng, 3 + worst)
        expected = flops / statistics.median(seconds) / peak
        extreme = max(seconds) if factor > 1 else min(seconds)
        seconds[seconds.index(extreme)] = extreme * factor
        expect(impl.device.measured_mfu(flops, seconds, peak), "MFU").close(expected, rtol=1e-12)


@pytest.mark.exercise("measured_mfu", weight=0.5)
def test_mfu_of_any_size(impl, rng):
    """FLOPs may be 0 or beyond 64 bits, seconds tiny, the peak below 1, and an MFU above 1 is
    kept"""
    for _ in range(5):
        flops, seconds = int(rng.integers(2**60, 2**62)) << 40, float(rng.uniform(1e3, 1e5))
        peak = float(rng.uniform(1e12, 1e14))
        expect(impl.device.measured_mfu(flops, [seconds], peak), "MFU").close(
            float(flops) / seconds / peak, rtol=1e-12
        )
        expect(impl.device.measured_mfu(0, [seconds], peak), "MFU of no work").close(0.0, rtol=0)
        short = float(rng.uniform(1e-12, 1e-11))
        expect(impl.device.measured_mfu(flops, [short], peak), "MFU").close(
            float(flops) / short / peak, rtol=1e-12
        )
        small = float(rng.uniform(0.1, 0.9))
        expect(impl.device.measured_mfu(3.0, [seconds], small), "MFU").close(
            3.0 / seconds / small, rtol=1e-12
        )


# --- prefetch -----------------------------------------------------------------


def random_batches(rng, torch_rng, count):
    """Pairs of int64 inputs and float64 targets of random sizes."""
    return [
        (
            torch.randint(2**40, (int(rng.integers(1, 40)), 3), generator=torch_rng),
            torch.randn((int(rng.integers(1, 40)), 3), generator=torch_rng, dtype=torch.float64),
        )
        for _ in range(count)
    ]


class Source:
    """Hands out batches, and keeps account of what happens."""

    def __init__(self, impl, batches):
        self.impl, self.events = impl, []
        self.batches = self.take(batches)

    def take(self, batches):
        for i, batch in enumerate(batches):
            self.events.append(("took", i))
            yield batch

    def prefetched(self, ask):
        """The first `ask` batches that are handed out."""
        iterator = self.impl.iterate("scenarios.prefetched", self.batches, "cpu")
        self.events.append(("made", 0))
        for i, batch in enumerate(itertools.islice(iterator, ask)):
            self.events.append(("gave", i))
            yield expect(batch, "a batch").is_a(tuple)

    def check_ahead(self):
        """Checks that two batches were taken before the first was handed out, and not all.

        On a CPU nobody sees a batch move: without this, the source itself would do, or a list.
        """
        if ("took", 1) in self.events:
            before = self.events[: self.events.index(("gave", 0))]
            taken = [("took", 1) in before, ("took", 3) in before]
            expect(taken, "whether two, and all, are taken first").equals([True, False])


def one_ahead(count, ask):
    """The expected order of events when `ask` of `count` batches are requested."""
    events = [("made", 0)]
    for i in range(min(ask, count)):
        events += [("took", 0)] if i == 0 else []
        events += [("took", i + 1)] if i + 1 < count else []
        events.append(("gave", i))
    return events


@pytest.mark.exercise("prefetch")
def test_exactly_one_ahead(impl, rng, torch_rng):
    """When a batch, a tuple, is handed out, only the next one has been taken; before the first,
    none"""
    for count, short in [(1, 0), (2, 0), (5, 0), (9, 0), (6, 2), (6, 5), (3, -2)]:
        batches, ask = random_batches(rng, torch_rng, count), count - short
        source = Source(impl, batches)
        list(source.prefetched(ask))
        expect(source.events, "events").equals(one_ahead(count, ask))


@pytest.mark.exercise("prefetch")
def test_each_batch_has_moved(impl):
    """When a batch is handed out, the next one has been moved to the device, too"""
    # The device "meta" holds no data.
    batches = [(torch.ones(10 * i + 1), torch.ones(10 * i + 2)) for i in range(4)]
    found = list(impl.iterate("scenarios.moves_of_prefetched", batches))
    expect([len(one["devices"]) for one in found], "tensors in each batch").equals([2] * 4)
    for i, one in enumerate(found):
        expect(one["devices"], f"devices of batch {i}").equals(["meta"] * 2)
        for tensor in batches[i + 1] if i < 3 else ():
            assert len(tensor) in one["moved"], f"batch {i + 1} has not moved before batch {i}"


@pytest.mark.exercise("prefetch")
def test_all_batches_in_order(impl, rng, torch_rng):
    """All batches of a list or a generator are handed out, in order and unchanged, also if there
    are none"""
    for count in (0, 1, 2, 3, 8):
        batches = random_batches(rng, torch_rng, count)
        found = list(impl.iterate("scenarios.prefetched", batches, "cpu"))
        expect(found, "batches of a list").equals(batches)
        source = Source(impl, batches)
        found = list(source.prefetched(ask=count + 2))
        expect(found, "batches of a generator").equals(batches)
        source.check_ahead()


@pytest.mark.exercise("prefetch")
def test_batches_of_any_number_of_tensors(impl, torch_rng):
    """A batch may have one tensor, or three, of any dtype and shape"""
    for sizes in [(3,), (2, 5, 1)]:
        batches = [tuple(torch.randn(n, generator=torch_rng) for n in sizes) for _ in range(4)]
        source = Source(impl, batches)
        found = list(source.prefetched(ask=5))
        expect(found, "batches").equals(batches)
        source.check_ahead()
    dtypes = (torch.float16, torch.bfloat16, torch.float32, torch.uint8, torch.int32, torch.bool)
    shapes = [(), (0, 3), (3,), (2, 0), (1, 1), (4, 2)]
    batches = [
        tuple(torch.randn(shape, generator=torch_rng).mul(50).abs().to(dtype) for dtype in dtypes)
        for shape in shapes
    ]
    source = Source(impl, batches)
    expect(list(source.prefetched(ask=7)), "batches").equals(batches)
    source.check_ahead()


@pytest.mark.exercise("prefetch")
def test_an_endless_source(impl, rng, torch_rng):
    """From an endless source, only one batch more is taken than is requested"""

    def endless(batches, ask):
        yield from itertools.islice(itertools.cycle(batches), ask + 100)
        raise AssertionError(f"100 batches more were taken than the {ask} requested ones")

    for count, ask in [(1, 4), (3, 0), (3, 1), (3, 11)]:
        batches = random_batches(rng, torch_rng, count)
        source = Source(impl, endless(batches, ask))
        found = list(source.prefetched(ask))
        expect(found, "batches").equals([batches[i % count] for i in range(ask)])
        expect(source.events, "events").equals(one_ahead(ask + 1, ask))


@pytest.mark.exercise("prefetch")
def test_an_exception_in_its_place(impl, rng, torch_rng):
    """An exception of the source or of a move comes after all batches before it are handed out"""

    def failing(batches, error):
        yield from batches
        raise error("the source has failed")

    errors = itertools.cycle((LookupError, OSError, ValueError, RuntimeError, ArithmeticError))
    for count in (0, 1, 2, 3, 4, int(rng.integers(5, 9))):
        batches, error = random_batches(rng, torch_rng, count), next(errors)
        source, found = Source(impl, failing(batches, error)), []
        with pytest.raises(error):
            # One by one: what was handed out before the exception counts.
            found.extend(source.prefetched(ask=count + 2))
        expect(found, "batches").equals(batches)
        source.check_ahead()
    for count in (1, 2, 4):
        batches, found = random_batches(rng, torch_rng, count), []
        with pytest.raises(RuntimeError):  # a batch that cannot be moved
            found.extend(impl.iterate("scenarios.prefetched_until_stuck", batches, count - 1))
        expect(found, "batches").equals(batches[: count - 1])
