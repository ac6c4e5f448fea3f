"""attainable: all work and all traffic of a sequence are taken to overlap"""

_right_least_time = least_time


def least_time(operations, peak_flops, bandwidth):
    _right_least_time(operations, peak_flops, bandwidth)
    flops = sum(operation[0] for operation in operations)
    moved = sum(operation[1] for operation in operations)
    return max(flops / peak_flops, moved / bandwidth)
