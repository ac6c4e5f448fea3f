"""attainable: a sequence without operations is refused

Breaks: 0 without operations
"""

_right_least_time = least_time


def least_time(operations, peak_flops, bandwidth):
    if not operations:
        raise ValueError("no operations")
    return _right_least_time(operations, peak_flops, bandwidth)
