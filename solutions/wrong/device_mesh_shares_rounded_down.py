"""device_mesh: a column's share of the parameters is rounded down

Breaks: Each column has a share of ceil(parameters / tensor) parameters
"""

_right_traffic = mesh_traffic


def mesh_traffic(tokens, parameters, layers, width, data, tensor, dtype):
    sent = _right_traffic(tokens, parameters, layers, width, data, tensor, dtype)
    share = parameters // tensor
    return {**sent, "data": zero_traffic(share, data, 3, dtype, dtype)["total"]}
