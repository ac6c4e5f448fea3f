"""time_function: switches the garbage collector off while it measures, and after an exception it stays off"""

import gc
import time

import torch


def time_function(function, *, warmup=2, repeats=5, synchronize=None, clock=time.perf_counter):
    if warmup < 0 or repeats < 1:
        raise ValueError("bad number of calls")
    if synchronize is None:
        synchronize = torch.cuda.synchronize if torch.cuda.is_available() else lambda: None
    for _ in range(warmup):
        function()
    gc.disable()
    seconds = []
    for _ in range(repeats):
        synchronize()
        start = clock()
        function()
        synchronize()
        seconds.append(clock() - start)
    gc.enable()
    return seconds
