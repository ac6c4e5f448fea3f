"""Timing, measured MFU and prefetching, on a simulated device: no accelerator is needed."""

import pytest
import torch

from assignment.expect import expect


@pytest.mark.exercise("time_function")
def test_waits_for_the_device(impl):
    """A call that returns after 1 s and queues 3 s of work takes 4 s"""
    result = impl.scenarios.timed([1.0, 1.0], [3.0, 3.0], warmup=0, repeats=2)
    expect(result["seconds"], "seconds").close(
        [4.0, 4.0], rtol=1e-9, hint="synchronize before you read the clock at the end"
    )


@pytest.mark.exercise("time_function")
def test_warms_up(impl):
    """A warm-up call of 60 s is not measured, and neither is the work that it queued"""
    result = impl.scenarios.timed([20.0, 1.0, 1.0], [40.0, 3.0, 3.0], warmup=1, repeats=2)
    expect(result["seconds"], "seconds").close(
        [4.0, 4.0], rtol=1e-9, hint="also synchronize before you start the clock"
    )
    expect(result["calls"], "calls").equals(3)


@pytest.mark.exercise("time_function")
def test_refuses_to_measure_nothing(impl):
    """0 repeats are refused"""
    with_one = impl.scenarios.timed([1.0], [3.0], warmup=0, repeats=1)
    expect(with_one["seconds"], "seconds").close([4.0], rtol=1e-9)
    without = impl.scenarios.timed([1.0], [3.0], warmup=0, repeats=0)
    expect(without["seconds"], "seconds").equals(None, hint="raise ValueError")


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
    with pytest.raises(ValueError):
        impl.device.measured_mfu(1e12, [], 1e12)


BATCHES = [[torch.arange(3 * i, 3 * i + 3), torch.ones(i + 1)] for i in range(3)]


@pytest.mark.exercise("prefetch")
def test_hands_out_all_batches(impl):
    """Three batches are handed out in order, then the iterator ends"""
    result = impl.scenarios.prefetched(BATCHES, "cpu", ask=4)
    expect(result["batches"], "batches").equals(
        BATCHES, hint="no batch follows the last one, but it must be handed out too"
    )
    expect(result["ended"], "how it ended").equals("StopIteration")


@pytest.mark.exercise("prefetch")
def test_takes_one_ahead(impl):
    """Two batches are taken before the first is handed out, then one before each further batch"""
    result = impl.scenarios.prefetched(BATCHES, "cpu", ask=4)
    events = [" ".join(map(str, event)) for event in result["events"]]
    expect(events, "events").equals(
        ["made 0", "took 0", "took 1", "gave 0", "took 2", "gave 1", "gave 2"],
        hint="a generator's code does not run before the first batch is requested",
    )


@pytest.mark.exercise("prefetch")
def test_moves_to_the_device(impl):
    """All tensors are moved to the device, here "meta", which holds no data"""
    result = impl.scenarios.prefetched(BATCHES, "meta", ask=4)
    expect(result["devices"], "devices").equals(["meta"] * 6, hint="tensor.to(device)")
