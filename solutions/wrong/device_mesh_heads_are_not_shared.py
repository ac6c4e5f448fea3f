"""device_mesh: the heads are only an upper bound

Breaks: Each device gets the same number of attention heads.
"""


def largest_tensor_degree(parameters, layers, width, heads, dtype, peak_flops, bandwidth):
    def hides(devices):
        sent = tensor_parallel_traffic(devices, width, layers, devices, dtype)
        return sent / bandwidth <= 6 * parameters / peak_flops

    return max(n for n in range(1, heads + 1) if hides(n))
