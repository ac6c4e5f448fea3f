"""deep_network: parameters and FLOPs without the head

Breaks: "parameters": their number

Breaks: "forward_flops" and "backward_flops"
"""

_account = deep_network_account


def deep_network_account(*, width, layers, outputs, batch, dtype):
    account = _account(width=width, layers=layers, outputs=outputs, batch=batch, dtype=dtype)
    head = width * outputs
    account["parameters"] -= head
    account["forward_flops"] -= 2 * batch * head
    account["backward_flops"] -= 2 * batch * (2 if layers else 1) * head
    return account
