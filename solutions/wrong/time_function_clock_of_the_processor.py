"""time_function: by default measures the time that the processor worked, without sleep"""

_right_time_function = time_function


def time_function(function, *, clock=time.process_time, **how):
    return _right_time_function(function, clock=clock, **how)
