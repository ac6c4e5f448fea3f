"""device_mesh: a row reduces the activations of one device's share of the batch

Breaks: all devices of a row work on the row's tokens, by tensor parallelism
"""

_right_traffic = mesh_traffic


def mesh_traffic(tokens, parameters, layers, width, data, tensor, dtype):
    sent = _right_traffic(tokens, parameters, layers, width, data, tensor, dtype)
    own = tokens // (data * tensor)
    return {**sent, "tensor": tensor_parallel_traffic(own, width, layers, tensor, dtype)}
