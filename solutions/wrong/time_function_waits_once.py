"""time_function: waits for the device once, after all calls"""


def time_function(function, *, warmup=2, repeats=5, synchronize=None, clock=time.perf_counter):
    if warmup < 0 or repeats < 1:
        raise ValueError("expected warmup >= 0 and repeats >= 1")
    synchronize = synchronize or (lambda: None)
    for _ in range(warmup):
        function()
    synchronize()
    times = [clock()]
    for i in range(repeats):
        function()
        if i == repeats - 1:
            synchronize()
        times.append(clock())
    return [b - a for a, b in zip(times, times[1:])]
