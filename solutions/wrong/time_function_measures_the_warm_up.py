"""time_function: measures the first calls and throws away none

Breaks: After `warmup` calls that are not measured
"""


def time_function(function, *, warmup=2, repeats=5, synchronize=None, clock=time.perf_counter):
    if warmup < 0 or repeats < 1:
        raise ValueError("expected warmup >= 0 and repeats >= 1")
    synchronize = synchronize or (lambda: None)
    seconds = []
    for _ in range(warmup + repeats):
        synchronize()
        start = clock()
        function()
        synchronize()
        seconds.append(clock() - start)
    return seconds[:repeats]
