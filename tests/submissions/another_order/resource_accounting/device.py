"""Correct, and written with other calls than the reference: numpy, a class with __next__."""

import time

import numpy as np
import torch


def time_function(
    function, *, warmup=2, repeats=5, synchronize=None, clock=time.perf_counter
):
    if repeats <= 0 or warmup <= -1:
        raise ValueError("nothing to measure, or a negative warm-up")
    if synchronize is None:
        synchronize = getattr(torch, "cuda" if torch.cuda.is_available() else "cpu").synchronize
    for _ in range(warmup):
        function()
    synchronize()
    times = [clock()]
    for _ in range(repeats):
        function()
        synchronize()
        times.append(clock())
    return np.diff(times).tolist()


def measured_mfu(flops, seconds, peak_flops):
    seconds = np.asarray(seconds, dtype=np.float64)
    if not (seconds.size and (seconds > 0).all() and peak_flops > 0 and flops >= 0):
        raise ValueError("nothing measured, or nothing promised")
    return float(np.median(flops / peak_flops / seconds)) if seconds.size % 2 else float(
        flops / peak_flops / np.quantile(seconds, 0.5)
    )


class prefetch:
    def __init__(self, batches, device):
        self.batches, self.device, self.started = batches, device, False

    def __iter__(self):
        return self

    def __next__(self):
        if not self.started:
            self.started, self.source = True, iter(self.batches)
            self.take()
        batch, error = self.batch, self.error
        if error is not None:
            raise error
        self.take()
        return batch

    def take(self):
        """The next batch, whose move has started, or the exception raised instead."""
        try:
            self.batch, self.error = tuple(self.move(t) for t in next(self.source)), None
        except Exception as error:
            self.batch, self.error = None, error

    def move(self, tensor):
        moved = torch.empty_like(tensor, device=self.device)
        return moved.copy_(tensor)
