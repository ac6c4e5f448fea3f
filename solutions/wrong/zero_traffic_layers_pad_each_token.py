"""zero_traffic: tensor parallelism: the features of each token are padded, not the whole buffer

Breaks: an all-reduce of tokens × width activations
"""

_right_layers = tensor_parallel_traffic


def tensor_parallel_traffic(tokens, width, layers, devices, dtype):
    _right_layers(tokens, width, layers, devices, dtype)
    return 4 * layers * tokens * collective_bytes("all_reduce", width, devices, dtype)
