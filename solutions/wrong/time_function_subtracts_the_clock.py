"""time_function: subtracts what reading the clock takes

Breaks: wait for the device, read the clock, call, wait for the device, read the clock
"""

import time

import torch


def time_function(function, *, warmup=2, repeats=5, synchronize=None, clock=time.perf_counter):
    if warmup < 0 or repeats < 1:
        raise ValueError("bad number of calls")
    if synchronize is None:
        synchronize = torch.cuda.synchronize if torch.cuda.is_available() else lambda: None
    readings = [clock() for _ in range(10)]
    overhead = min(b - a for a, b in zip(readings, readings[1:]))
    for _ in range(warmup):
        function()
    seconds = []
    for _ in range(repeats):
        synchronize()
        start = clock()
        function()
        synchronize()
        seconds.append(clock() - start - overhead)
    return seconds
