"""zero_traffic: tensor parallelism: two negative sizes make a positive product

Breaks: a size is negative
"""

_right_layers = tensor_parallel_traffic


def tensor_parallel_traffic(tokens, width, layers, devices, dtype):
    if tokens * width * layers < 0:
        raise ValueError("negative")
    return 4 * layers * collective_bytes("all_reduce", tokens * width, devices, dtype)
