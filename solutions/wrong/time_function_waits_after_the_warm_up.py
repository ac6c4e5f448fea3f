"""time_function: waits after the warm-up, so not where there is none

Breaks: So work queued before a call is not measured with it
"""


def time_function(function, *, warmup=2, repeats=5, synchronize=None, clock=time.perf_counter):
    if warmup < 0 or repeats < 1:
        raise ValueError("expected warmup >= 0 and repeats >= 1")
    synchronize = synchronize or (lambda: None)
    for _ in range(warmup):
        function()
        synchronize()
    seconds = []
    for _ in range(repeats):
        start = clock()
        function()
        synchronize()
        seconds.append(clock() - start)
    return seconds
