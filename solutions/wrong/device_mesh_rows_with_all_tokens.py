"""device_mesh: each row works on the whole batch

Breaks: The rows share the batch equally
"""

_right_traffic = mesh_traffic


def mesh_traffic(tokens, parameters, layers, width, data, tensor, dtype):
    return _right_traffic(tokens * data, parameters, layers, width, data, tensor, dtype)
