"""time_function: errors while warming up are ignored

Breaks: any that `function` raises
"""

import time

import torch


def time_function(function, *, warmup=2, repeats=5, synchronize=None, clock=time.perf_counter):
    if warmup < 0 or repeats < 1:
        raise ValueError("bad number of calls")
    if synchronize is None:
        synchronize = torch.cuda.synchronize if torch.cuda.is_available() else lambda: None
    for _ in range(warmup):
        try:
            function()
        except Exception:
            break
    seconds = []
    for _ in range(repeats):
        synchronize()
        start = clock()
        function()
        synchronize()
        seconds.append(clock() - start)
    return seconds
