"""Timing, measured MFU and prefetching, on a simulated device: no accelerator is needed."""

import time

import pytest
import torch

from assignment.expect import expect
from assignment.material.simulated import SimulatedDevice


def time_on(device, impl, **settings):
    """Times the simulated device's function."""
    return impl.device.time_function(
        device.function, synchronize=device.synchronize, clock=device.clock, **settings
    )


@pytest.mark.exercise("time_function")
def test_waits_for_the_device(impl):
    """A call that returns after 1 s and queues 3 s of work takes 4 s"""
    seconds = time_on(SimulatedDevice([1.0], [3.0]), impl, warmup=0, repeats=2)
    expect(seconds, "seconds").close(
        [4.0, 4.0], rtol=1e-9, hint="synchronize before you read the clock at the end"
    )


@pytest.mark.exercise("time_function")
def test_warms_up(impl):
    """A warm-up call of 60 s is not measured, and neither is the work that it queued"""
    device = SimulatedDevice([20.0, 1.0, 1.0], [40.0, 3.0, 3.0])
    seconds = time_on(device, impl, warmup=1, repeats=2)
    expect(seconds, "seconds").close(
        [4.0, 4.0], rtol=1e-9, hint="also synchronize before you start the clock"
    )
    expect(device.calls, "calls").equals(3)


@pytest.mark.exercise("time_function")
def test_random_times(impl, rng):
    """Each call is measured by itself, in order, with one reading of the clock; 0 is a time, too"""
    for i in range(8):
        warmup, repeats = int(rng.integers(0, 3)), int(rng.integers(1, 6))
        costs = rng.uniform(0, 2, size=(2, warmup + repeats))
        costs *= rng.integers(0, 2, size=costs.shape)  # some are 0
        reading = float(rng.choice([0.0, 0.25]))
        device = SimulatedDevice(*costs.tolist(), queued=5.0, now=1e6 * i, reading=reading)
        seconds = time_on(device, impl, warmup=warmup, repeats=repeats)
        expect(seconds, f"seconds, with warmup={warmup}, repeats={repeats}").close(
            (costs.sum(0)[warmup:] + reading).tolist(), rtol=0.0, atol=1e-6
        )
        expect(device.calls, "calls").equals(warmup + repeats)
    seconds = time_on(SimulatedDevice([0.0], [0.0]), impl, warmup=0, repeats=2)
    expect(seconds, "seconds that take no time").equals([0.0, 0.0])


@pytest.mark.exercise("time_function")
def test_exceptions_of_the_function_pass(impl):
    """What the function raises comes out, and it is not called again"""
    calls = []
    errors = [ZeroDivisionError, RuntimeError]  # what a stub raises is a RuntimeError too

    def fails():
        calls.append(1)
        raise errors[min(len(calls), len(errors)) - 1]("it cannot go on")

    for warmup, error in enumerate(errors):
        with pytest.raises(error):
            impl.device.time_function(fails, warmup=warmup, repeats=2)
    expect(len(calls), "calls, of which each fails").equals(2)


@pytest.mark.exercise("time_function")
def test_clock_and_device_by_default(impl):
    """The default clock counts sleep as well, and without CUDA there is no device to wait for"""
    seconds = impl.device.time_function(lambda: time.sleep(0.01), warmup=0, repeats=2)
    expect(len(seconds), "the number of measurements").equals(2)
    expect(min(seconds) >= 0.0099, f"are 10 ms of sleep at least 10 ms in {seconds}").equals(
        True, hint="time.perf_counter, and not time.process_time"
    )


@pytest.mark.exercise("measured_mfu")
def test_the_products_mfu(impl):
    """The lecture's product, with a median time of 17.8 ms, has an MFU of 0.4994 on an H100"""
    expect(impl.device.measured_mfu(8_796_093_022_208, [0.020, 0.010, 0.0178], 989.5e12)).close(
        0.49941, rtol=1e-5, hint="FLOPs / seconds / peak, with the median of the times"
    )


@pytest.mark.exercise("measured_mfu")
def test_the_median_of_two(impl):
    """The median of two measurements, 1 s and 3 s, is 2 s"""
    expect(impl.device.measured_mfu(1e12, [3.0, 1.0], 1e12)).close(0.5, rtol=1e-9)


@pytest.mark.exercise("measured_mfu")
def test_random_measurements(impl, rng):
    """The median of any number of times in any order, however small, also as ints in a tuple"""
    for i in range(12):
        seconds = [float(s) for s in rng.uniform(1, 9, size=i + 1) * 10.0 ** -(i + 2)]
        seconds += seconds[: i % 2] * 3
        if i % 4 == 3:
            seconds = tuple(int(n) for n in rng.integers(1, 9, size=2 * i))
        flops, peak = (float(n) for n in rng.uniform(0.5, 3, size=2))
        ordered, n = sorted(seconds), len(seconds)
        median = (ordered[n // 2] + ordered[(n - 1) // 2]) / 2
        found = impl.device.measured_mfu(flops, seconds, peak)
        expect(found, f"measured_mfu{(flops, seconds, peak)}").close(
            flops / median / peak, rtol=1e-12, hint="above 1 too: the caller should see it"
        )
    expect(impl.device.measured_mfu(0, [1.0, float("inf"), 2.0], 1e12), "without FLOPs").close(
        0.0, rtol=0.0
    )


BATCHES = [(torch.arange(3 * i, 3 * i + 3), torch.ones(i + 1)) for i in range(3)]


@pytest.mark.exercise("prefetch")
def test_hands_out_all_batches(impl):
    """Two batches are taken, then the first is handed out; all come, in order"""
    source = iter(BATCHES)
    batches = impl.iterate("scenarios.prefetched", (batch for batch in source), "cpu")
    first = next(batches)
    left = list(source)  # the test takes what was not taken ahead
    expect(len(BATCHES) - len(left), "batches taken before the first is handed out").equals(
        2, hint="take the second and start to move it, then hand out the first"
    )
    found = [first, *batches]
    expect(len(found) + len(left), "batches handed out, and one that the test took").equals(
        len(BATCHES), hint="no batch follows the last one, but it must be handed out too"
    )
    expect(found, "batches").equals(BATCHES[:2])


@pytest.mark.exercise("prefetch")
def test_takes_one_ahead(impl):
    """Two batches are taken before the first is handed out, then one before each further batch"""
    events = []

    def source():
        for i, batch in enumerate(BATCHES):
            events.append(f"took {i}")
            yield batch

    batches = impl.iterate("scenarios.prefetched", source(), "cpu")
    events.append("made")
    for i, _ in enumerate(batches):
        events.append(f"gave {i}")
    expect(events, "events").equals(
        ["made", "took 0", "took 1", "gave 0", "took 2", "gave 1", "gave 2"],
        hint="a generator's code does not run before the first batch is requested",
    )


@pytest.mark.exercise("prefetch")
def test_moves_to_the_device(impl):
    """All tensors are moved to the device, here "meta", which holds no data"""
    batches = list(impl.iterate("scenarios.moves_of_prefetched", BATCHES))
    devices = [batch["devices"] for batch in batches]
    expect(devices, "devices").equals([["meta"] * 2] * 3, hint="tensor.to(device)")


@pytest.mark.exercise("prefetch")
def test_a_move_that_fails_comes_in_its_place(impl):
    """If the third batch cannot be moved, the first two are handed out before the exception"""
    batches, found = impl.iterate("scenarios.prefetched_until_stuck", BATCHES, 2), []
    with pytest.raises(RuntimeError):
        found.extend(batches)
    expect(found, "batches").equals(BATCHES[:2])


@pytest.mark.exercise("prefetch")
def test_the_next_batch_is_on_its_way(impl):
    """When a batch is handed out, the move of the next one has already started"""
    batches = [(torch.ones(10 * i + 1), torch.ones(10 * i + 2)) for i in range(3)]
    moved = [found["moved"] for found in impl.iterate("scenarios.moves_of_prefetched", batches)]
    for i in (0, 1):
        missing = [len(tensor) for tensor in batches[i + 1] if len(tensor) not in moved[i]]
        expect(missing, f"sizes of tensors not moved when batch {i} is handed out").equals(
            [], hint="move the next batch before you yield this one"
        )


@pytest.mark.exercise("prefetch")
def test_tensors_arrive_as_they_were(impl, torch_rng):
    """Each batch is a tuple of its tensors, whatever their dtypes and shapes, empty ones too"""
    dtypes = [torch.float64, torch.bfloat16, torch.float16, torch.bool, torch.uint8]
    batches = [
        tuple(
            torch.randint(2, shape, generator=torch_rng).to(dtypes[(i + n) % 5])
            for n, shape in enumerate([(0, 3), (), (2, 3)][: 1 + i % 3])
        )
        for i in range(6)
    ]
    found, taken = [], []

    def source():
        for batch in batches:
            taken.append(1)
            yield batch

    for i, batch in enumerate(impl.iterate("scenarios.prefetched", source(), "cpu")):
        expect(len(taken), f"batches taken when batch {i} is handed out").equals(min(i + 2, 6))
        found.append(expect(batch, f"batch {i}").is_a(tuple))
    expect(found, "the batches").equals(batches)


@pytest.mark.exercise("prefetch")
def test_any_exception_waits(impl):
    """An exception of the batches, of any kind, comes after all batches before it"""
    for kind in (RuntimeError, OSError, ValueError, TypeError):
        raised = []

        def source(kind=kind, raised=raised):
            yield from BATCHES[:2]
            raised.append(kind)
            raise kind("no more data")

        found, batches = [], impl.iterate("scenarios.prefetched", source(), "cpu")
        with pytest.raises(kind):
            found.extend((batch, list(raised)) for batch in batches)
        # It is raised while the batch after the last one is looked for, one batch ahead.
        expect([seen for _, seen in found], "exceptions seen with each batch").equals([[], [kind]])
        found = [batch for batch, _ in found]
        expect(found, f"batches before a {kind.__name__}").equals(BATCHES[:2])
