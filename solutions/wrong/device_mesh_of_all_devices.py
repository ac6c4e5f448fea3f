"""device_mesh: the bytes of all devices together

Breaks: Bytes that each device sends in one training step on a mesh of ZeRO and tensor parallelism.
"""

_right_traffic = mesh_traffic


def mesh_traffic(tokens, parameters, layers, width, data, tensor, dtype):
    sent = _right_traffic(tokens, parameters, layers, width, data, tensor, dtype)
    return {axis: data * tensor * size for axis, size in sent.items()}
