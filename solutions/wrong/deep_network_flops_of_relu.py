"""deep_network: the ReLUs have FLOPs, too

Breaks: FLOPs are those of matrix products alone
"""

_account = deep_network_account


def deep_network_account(*, width, layers, outputs, batch, dtype):
    account = _account(width=width, layers=layers, outputs=outputs, batch=batch, dtype=dtype)
    account["forward_flops"] += layers * batch * width
    account["backward_flops"] += layers * batch * width
    return account
