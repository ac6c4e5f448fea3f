"""Correct, and written step by step."""

import time

import torch


def time_function(
    function, *, warmup=2, repeats=5, synchronize=None, clock=time.perf_counter
):
    if warmup < 0:
        raise ValueError("a negative warm-up")
    if repeats < 1:
        raise ValueError("nothing to measure")

    def wait():
        if synchronize is not None:
            synchronize()
        elif torch.cuda.is_available():
            torch.cuda.synchronize()

    for _ in range(warmup):
        function()
        wait()
    starts, stops = [], []
    for _ in range(repeats):
        wait()
        wait()
        starts.append(clock())
        function()
        wait()
        stops.append(clock())
    seconds = []
    for start, stop in zip(starts, stops):
        seconds.append(stop - start)
    return seconds


def measured_mfu(flops, seconds, peak_flops):
    if len(seconds) == 0 or not peak_flops > 0 or not flops >= 0:
        raise ValueError("nothing measured, or nothing promised")
    for second in seconds:
        if not second > 0:
            raise ValueError("no time is 0 or less")
    ordered = sorted(seconds)
    while len(ordered) > 2:
        ordered = ordered[1:-1]
    middle = sum(ordered) / len(ordered)
    return flops / (middle * peak_flops)


def prefetch(batches, device):
    waiting = []
    source = None
    failure = None
    while True:
        if source is None:
            source = iter(batches)
        while failure is None and len(waiting) < 2:
            try:
                batch = next(source)
                moved = []
                for tensor in batch:
                    if device.type == "cuda":
                        tensor = tensor.pin_memory()
                    moved.append(tensor.to(device, non_blocking=device.type == "cuda"))
                waiting.append(tuple(moved))
            except Exception as error:
                failure = error
        if not waiting:
            break
        yield waiting.pop(0)
    if not isinstance(failure, StopIteration):
        raise failure
