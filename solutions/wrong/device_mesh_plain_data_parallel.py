"""device_mesh: a column all-reduces its gradients and gathers nothing

Breaks: on which its devices train under ZeRO stage 3
"""

_right_traffic = mesh_traffic


def mesh_traffic(tokens, parameters, layers, width, data, tensor, dtype):
    sent = _right_traffic(tokens, parameters, layers, width, data, tensor, dtype)
    share = -(-parameters // tensor)
    return {**sent, "data": zero_traffic(share, data, 0, dtype, dtype)["total"]}
