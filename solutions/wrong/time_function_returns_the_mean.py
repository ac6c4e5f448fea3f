"""time_function: measures all calls together and returns their mean for each

Breaks: each of `repeats` calls is measured by itself

Breaks: The seconds of each measured call
"""

_right_time_function = time_function


def time_function(function, **how):
    seconds = _right_time_function(function, **how)
    return [sum(seconds) / len(seconds)] * len(seconds)
