"""attainable: an operation's computing and its traffic are added, as if nothing overlapped"""

_right_least_time = least_time


def least_time(operations, peak_flops, bandwidth):
    _right_least_time(operations, peak_flops, bandwidth)
    return sum(flops / peak_flops + moved / bandwidth for flops, moved in operations)
