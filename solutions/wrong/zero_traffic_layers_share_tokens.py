"""zero_traffic: tensor parallelism: each device has tokens of its own, as in data parallel

Breaks: The devices split every matrix and work on the same tokens
"""

_right_layers = tensor_parallel_traffic


def tensor_parallel_traffic(tokens, width, layers, devices, dtype):
    share = -(-tokens // devices) if devices > 0 else tokens
    return _right_layers(share, width, layers, devices, dtype)
