"""deep_network: a multiplication and its addition count as one FLOP

Breaks: an addition and a multiplication for each pair of factors
"""

_account = deep_network_account


def deep_network_account(*, width, layers, outputs, batch, dtype):
    account = _account(width=width, layers=layers, outputs=outputs, batch=batch, dtype=dtype)
    account["forward_flops"] //= 2
    account["backward_flops"] //= 2
    return account
