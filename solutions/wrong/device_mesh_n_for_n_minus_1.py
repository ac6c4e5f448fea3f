"""device_mesh: each device sends all n chunks: so many devices as the time of one chunk goes into that of compute

Breaks: Both times are proportional to the tokens, so the answer does not depend on them

Breaks: The number of devices, at least 1: one device alone has nothing to send.
"""


def largest_tensor_degree(parameters, layers, width, heads, dtype, peak_flops, bandwidth):
    chunks = tensor_parallel_traffic(2, width, layers, 2, dtype)
    bound = int(6 * parameters / peak_flops / (chunks / bandwidth))
    return max((n for n in range(1, bound + 1) if heads % n == 0), default=0)
