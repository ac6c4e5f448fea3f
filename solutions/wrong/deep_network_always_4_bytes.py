"""deep_network: every number takes 4 bytes

Breaks: what autograd keeps from the forward pass for the backward pass
"""

_account = deep_network_account


def deep_network_account(*, width, layers, outputs, batch, dtype):
    account = _account(width=width, layers=layers, outputs=outputs, batch=batch, dtype=dtype)
    account["saved_bytes"] = 4 * layers * batch * width
    return account
