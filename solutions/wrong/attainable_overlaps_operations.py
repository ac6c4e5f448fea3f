"""attainable: all work and all traffic of a sequence are taken to overlap

Breaks: The least time that operations can take, one after the other.

Breaks: Different operations do not overlap, and each reads its inputs from memory again.
"""

_right_least_time = least_time


def least_time(operations, peak_flops, bandwidth):
    _right_least_time(operations, peak_flops, bandwidth)
    flops = sum(operation[0] for operation in operations)
    moved = sum(operation[1] for operation in operations)
    return max(flops / peak_flops, moved / bandwidth)
