"""device_mesh: the largest divisor of the heads that also divides the bound

Breaks: Each device gets the same number of attention heads.
"""


def largest_tensor_degree(parameters, layers, width, heads, dtype, peak_flops, bandwidth):
    sent = tensor_parallel_traffic(2, width, layers, 2, dtype)
    bound = 1 + int(6 * parameters / peak_flops / (sent / bandwidth))
    return math.gcd(heads, bound)
