"""time_function: keeps the readings of a clock that it is given in float32

Breaks: The seconds of each measured call
"""

_right_time_function = time_function


def time_function(function, *, clock=None, **how):
    if clock is None:
        return _right_time_function(function, **how)
    return _right_time_function(function, clock=lambda: torch.tensor(clock()).item(), **how)
