"""Timing, measured MFU and prefetching, on a simulated device: no accelerator is needed."""

import pytest
import torch

from assignment.expect import expect
from assignment.simulated import SimulatedDevice


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
def test_refuses_to_measure_nothing(impl):
    """0 repeats are refused"""
    seconds = time_on(SimulatedDevice([1.0], [3.0]), impl, warmup=0, repeats=1)
    expect(seconds, "seconds").close([4.0], rtol=1e-9)
    with pytest.raises(ValueError):
        time_on(SimulatedDevice([1.0], [3.0]), impl, warmup=0, repeats=0)


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
def test_refuses_no_measurements(impl):
    """An empty list of measurements is refused"""
    expect(impl.device.measured_mfu(1e12, [4.0], 1e12)).close(0.25, rtol=1e-9)
    with pytest.raises(ValueError):
        impl.device.measured_mfu(1e12, [], 1e12)


BATCHES = [(torch.arange(3 * i, 3 * i + 3), torch.ones(i + 1)) for i in range(3)]


@pytest.mark.exercise("prefetch")
def test_hands_out_all_batches(impl):
    """Three batches are handed out in order, then the iterator ends"""
    source = iter(BATCHES)
    batches = impl.iterate("scenarios.prefetched", (batch for batch in source), "cpu")
    first = next(batches)
    left = list(source)  # the test takes what was not taken ahead
    expect(len(left), "batches that were not taken before the first was handed out").equals(1)
    expect([first, *batches, *left], "batches").equals(
        BATCHES, hint="no batch follows the last one, but it must be handed out too"
    )


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
