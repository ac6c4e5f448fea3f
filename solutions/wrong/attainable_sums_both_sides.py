"""attainable: an operation's computing and its traffic are added, as if nothing overlapped

Breaks: both at the same time, so the slower of the two decides.

Breaks: Within an operation, arithmetic and traffic overlap perfectly, so it takes as long as the
slower of the two.
"""

_right_least_time = least_time


def least_time(operations, peak_flops, bandwidth):
    _right_least_time(operations, peak_flops, bandwidth)
    return sum(flops / peak_flops + moved / bandwidth for flops, moved in operations)
