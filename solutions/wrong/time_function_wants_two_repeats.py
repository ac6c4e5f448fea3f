"""time_function: one repeat is refused

Breaks: at least 1
"""

_right_time_function = time_function


def time_function(function, *, repeats=5, **how):
    if repeats < 2:
        raise ValueError("expected repeats > 1")
    return _right_time_function(function, repeats=repeats, **how)
