"""deep_network: a ReLU keeps its input, besides its output

Breaks: A tensor that two operations keep counts once

Breaks: what autograd keeps from the forward pass for the backward pass
"""

_account = deep_network_account


def deep_network_account(*, width, layers, outputs, batch, dtype):
    account = _account(width=width, layers=layers, outputs=outputs, batch=batch, dtype=dtype)
    account["saved_bytes"] *= 2
    return account
