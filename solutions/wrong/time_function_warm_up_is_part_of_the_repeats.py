"""time_function: takes the calls to warm up from the repeats

Breaks: called without arguments, `warmup + repeats` times in total
"""

_right_time_function = time_function


def time_function(function, *, warmup=2, repeats=5, **how):
    if warmup < 0 or repeats < 1:
        raise ValueError("expected warmup >= 0 and repeats >= 1")
    return _right_time_function(function, warmup=warmup, repeats=max(1, repeats - warmup), **how)
