"""device_mesh (core): the two kinds of parallelism side by side, and as many devices as heads"""


def mesh_traffic(tokens, parameters, layers, width, data, tensor, dtype):
    return {
        "data": zero_traffic(parameters, data, 3, dtype, dtype)["total"],
        "tensor": tensor_parallel_traffic(tokens, width, layers, tensor, dtype),
    }


def largest_tensor_degree(parameters, layers, width, heads, dtype, peak_flops, bandwidth):
    return heads
