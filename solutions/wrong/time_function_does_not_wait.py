"""time_function (core): stops the clock when the work is queued, not when it is done

Breaks: Measures several times how long a function takes, including its work on the device

Breaks: work that the call queues is
"""


def time_function(function, *, warmup=2, repeats=5, synchronize=None, clock=time.perf_counter):
    if warmup < 0 or repeats < 1:
        raise ValueError("expected warmup >= 0 and repeats >= 1")
    synchronize = synchronize or (lambda: None)
    for _ in range(warmup):
        function()
    seconds = []
    for _ in range(repeats):
        synchronize()
        start = clock()
        function()
        seconds.append(clock() - start)
    return seconds
