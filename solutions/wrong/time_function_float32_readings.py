"""time_function: keeps the readings of the clock in float32

Breaks: The seconds of each measured call
"""

_right_time_function = time_function


def time_function(function, *, clock=time.perf_counter, **how):
    return _right_time_function(function, clock=lambda: torch.tensor(clock()).item(), **how)
