"""time_function: finds out after the warm-up that there is nothing to measure

Breaks: `function` is not called
"""

_right_time_function = time_function


def time_function(function, *, warmup=2, repeats=5, **how):
    for _ in range(warmup):
        function()
    return _right_time_function(function, warmup=min(0, warmup), repeats=repeats, **how)
