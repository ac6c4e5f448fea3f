"""device_mesh: the devices communicate for one token, and each computes one of its own

Breaks: Bytes and times are those of `tensor_parallel_traffic` and `step_seconds`.
"""


def largest_tensor_degree(parameters, layers, width, heads, dtype, peak_flops, bandwidth):
    def hides(devices):
        sent = tensor_parallel_traffic(1, width, layers, devices, dtype)
        return sent / bandwidth <= 6 * parameters / peak_flops

    return max([1, *(n for n in range(1, heads + 1) if heads % n == 0 and hides(n))])
