"""device_mesh: a column's share is a float on its way

Breaks: Counts of bytes are exact Python ints
"""

_right_traffic = mesh_traffic


def mesh_traffic(tokens, parameters, layers, width, data, tensor, dtype):
    sent = _right_traffic(tokens, parameters, layers, width, data, tensor, dtype)
    share = math.ceil(parameters / tensor)
    return {**sent, "data": zero_traffic(share, data, 3, dtype, dtype)["total"]}
