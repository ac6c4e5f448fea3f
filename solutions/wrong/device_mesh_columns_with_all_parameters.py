"""device_mesh: each column gathers the whole model

Breaks: Each column has a share of ceil(parameters / tensor) parameters
"""

_right_traffic = mesh_traffic


def mesh_traffic(tokens, parameters, layers, width, data, tensor, dtype):
    return _right_traffic(tokens, parameters * tensor, layers, width, data, tensor, dtype)
