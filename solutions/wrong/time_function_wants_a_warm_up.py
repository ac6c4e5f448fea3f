"""time_function: no warm-up is refused

Breaks: 0 or more
"""

_right_time_function = time_function


def time_function(function, *, warmup=2, **how):
    if warmup < 1:
        raise ValueError("expected warmup > 0")
    return _right_time_function(function, warmup=warmup, **how)
