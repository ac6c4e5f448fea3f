"""device_mesh: gradients of parameters are always sent in float32

Breaks: gradients and activations are sent
"""

_right_traffic = mesh_traffic


def mesh_traffic(tokens, parameters, layers, width, data, tensor, dtype):
    sent = _right_traffic(tokens, parameters, layers, width, data, tensor, dtype)
    share = -(-parameters // tensor)
    return {**sent, "data": zero_traffic(share, data, 3, dtype, torch.float32)["total"]}
