"""device_mesh: the degree is doubled as long as that goes

Breaks: The most devices on which tensor parallelism communicates no longer than it computes.
"""

_right_degree = largest_tensor_degree


def largest_tensor_degree(parameters, layers, width, heads, dtype, peak_flops, bandwidth):
    most = _right_degree(parameters, layers, width, heads, dtype, peak_flops, bandwidth)
    degree = 1
    while heads % (2 * degree) == 0 and 2 * degree <= most:
        degree *= 2
    return degree
