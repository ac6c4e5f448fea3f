"""device_mesh: a micro-batch for each device of a row

Breaks: in one micro-batch
"""

_right_traffic = mesh_traffic


def mesh_traffic(tokens, parameters, layers, width, data, tensor, dtype):
    sent = _right_traffic(tokens, parameters, layers, width, data, tensor, dtype)
    return {**sent, "data": sent["data"] * tensor}
