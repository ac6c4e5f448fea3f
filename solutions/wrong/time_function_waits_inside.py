"""time_function: waits for the work from before with the clock running

Breaks: So work queued before a call is not measured with it
"""


def time_function(function, *, warmup=2, repeats=5, synchronize=None, clock=time.perf_counter):
    if warmup < 0 or repeats < 1:
        raise ValueError("expected warmup >= 0 and repeats >= 1")
    synchronize = synchronize or (lambda: None)
    for _ in range(warmup):
        function()
    seconds = []
    for _ in range(repeats):
        start = clock()
        synchronize()
        function()
        synchronize()
        seconds.append(clock() - start)
    return seconds
