"""time_function: a RuntimeError is taken for lack of memory and the call left out

Breaks: any that `function` raises
"""

import time

import torch


def time_function(function, *, warmup=2, repeats=5, synchronize=None, clock=time.perf_counter):
    if warmup < 0 or repeats < 1:
        raise ValueError("bad number of calls")
    if synchronize is None:
        synchronize = torch.cuda.synchronize if torch.cuda.is_available() else lambda: None
    seconds = []
    for i in range(warmup + repeats):
        synchronize()
        start = clock()
        try:
            function()
        except RuntimeError:
            continue
        synchronize()
        if i >= warmup:
            seconds.append(clock() - start)
    return seconds
