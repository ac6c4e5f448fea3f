"""time_function: a measurement of 0 is made again

Breaks: called without arguments, `warmup + repeats` times in total
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
    while len(seconds) < repeats:
        synchronize()
        start = clock()
        function()
        synchronize()
        elapsed = clock() - start
        if elapsed > 0:
            seconds.append(elapsed)
    return seconds
