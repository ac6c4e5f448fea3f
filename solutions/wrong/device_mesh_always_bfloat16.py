"""device_mesh: activations always have 2 bytes"""


def largest_tensor_degree(parameters, layers, width, heads, dtype, peak_flops, bandwidth):
    def hides(devices):
        sent = tensor_parallel_traffic(devices, width, layers, devices, torch.bfloat16)
        return sent / bandwidth <= 6 * parameters / peak_flops

    return max([1, *(n for n in range(1, heads + 1) if heads % n == 0 and hides(n))])
