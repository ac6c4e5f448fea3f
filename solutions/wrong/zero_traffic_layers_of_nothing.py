"""zero_traffic: tensor parallelism: without layers or tokens nothing is sent, whatever the other arguments are

Breaks: `devices` is less than 1

Breaks: the dtype's elements are not a whole number of bytes

Breaks: `dtype` is not a `torch.dtype`
"""

_right_layers = tensor_parallel_traffic


def tensor_parallel_traffic(tokens, width, layers, devices, dtype):
    if min(tokens, width, layers) == 0:
        return 0
    return _right_layers(tokens, width, layers, devices, dtype)
