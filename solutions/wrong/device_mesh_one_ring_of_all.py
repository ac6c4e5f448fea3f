"""device_mesh: ZeRO shards among all devices of the mesh, as if rows held copies

Breaks: Each column has a share of ceil(parameters / tensor) parameters, on which its devices train
under ZeRO stage 3
"""

_right_traffic = mesh_traffic


def mesh_traffic(tokens, parameters, layers, width, data, tensor, dtype):
    sent = _right_traffic(tokens, parameters, layers, width, data, tensor, dtype)
    return {**sent, "data": zero_traffic(parameters, data * tensor, 3, dtype, dtype)["total"]}
