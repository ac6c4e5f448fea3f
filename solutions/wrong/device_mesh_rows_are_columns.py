"""device_mesh: `data` columns and `tensor` rows

Breaks: The mesh has `data` rows and `tensor` columns of devices.
"""

_right_traffic = mesh_traffic


def mesh_traffic(tokens, parameters, layers, width, data, tensor, dtype):
    return _right_traffic(tokens, parameters, layers, width, tensor, data, dtype)
