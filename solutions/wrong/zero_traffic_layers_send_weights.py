"""zero_traffic: tensor parallelism: sends the layers' 12 · width² weights

Breaks: The devices split every matrix and work on the same tokens

Breaks: Bytes that each device sends in one training step of a transformer under tensor parallelism.
"""

_right_layers = tensor_parallel_traffic


def tensor_parallel_traffic(tokens, width, layers, devices, dtype):
    _right_layers(tokens, width, layers, devices, dtype)
    return layers * collective_bytes("all_reduce", 12 * width * width, devices, dtype)
