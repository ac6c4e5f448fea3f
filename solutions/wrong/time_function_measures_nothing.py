"""time_function: no repeats are let through, and measure nothing

Breaks: `repeats` is less than 1
"""

_right_time_function = time_function


def time_function(function, *, repeats=5, **how):
    if repeats < 1:
        return []
    return _right_time_function(function, repeats=repeats, **how)
