"""time_function: a measurement of 0 is replaced by a tiny one

Breaks: The seconds of each measured call
"""

import time

import torch


def time_function(function, *, warmup=2, repeats=5, synchronize=None, clock=time.perf_counter):
    if warmup < 0 or repeats < 1:
        raise ValueError("bad number of calls")
    if synchronize is None:
        synchronize = torch.cuda.synchronize if torch.cuda.is_available() else lambda: None
    for _ in range(warmup):
        function()
    seconds = []
    for _ in range(repeats):
        synchronize()
        start = clock()
        function()
        synchronize()
        seconds.append(max(clock() - start, 1e-9))
    return seconds
