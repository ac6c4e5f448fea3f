"""time_function: the seconds are sorted

Breaks: in order
"""

_right_time_function = time_function


def time_function(function, **how):
    return sorted(_right_time_function(function, **how))
