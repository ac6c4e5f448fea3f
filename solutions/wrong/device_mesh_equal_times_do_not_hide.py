"""device_mesh: communication must be shorter than compute

Breaks: The most devices on which tensor parallelism communicates no longer than it computes.
"""


def largest_tensor_degree(parameters, layers, width, heads, dtype, peak_flops, bandwidth):
    def hides(devices):
        sent = tensor_parallel_traffic(devices, width, layers, devices, dtype)
        return sent / bandwidth < 6 * parameters / peak_flops

    return max([1, *(n for n in range(1, heads + 1) if heads % n == 0 and hides(n))])
