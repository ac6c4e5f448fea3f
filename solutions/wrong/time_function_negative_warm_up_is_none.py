"""time_function: a negative warm-up is none

Breaks: `warmup` is negative
"""

_right_time_function = time_function


def time_function(function, *, warmup=2, **how):
    return _right_time_function(function, warmup=max(0, warmup), **how)
