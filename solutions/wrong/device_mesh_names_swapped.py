"""device_mesh: the two names the other way round

Breaks: Bytes that a device sends within its column, "data", and within its row, "tensor".
"""

_right_traffic = mesh_traffic


def mesh_traffic(tokens, parameters, layers, width, data, tensor, dtype):
    sent = _right_traffic(tokens, parameters, layers, width, data, tensor, dtype)
    return {"data": sent["tensor"], "tensor": sent["data"]}
