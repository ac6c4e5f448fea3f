"""zero_traffic: tensor parallelism: the whole sum is a float on its way

Breaks: Counts of bytes are exact Python ints
"""

_right_layers = tensor_parallel_traffic


def tensor_parallel_traffic(tokens, width, layers, devices, dtype):
    return int(float(_right_layers(tokens, width, layers, devices, dtype)))
