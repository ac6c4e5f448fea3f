"""deep_network: the backward pass is twice the forward pass

Breaks: and whatever gradients of activations these need

Breaks: x needs none
"""

_account = deep_network_account


def deep_network_account(*, width, layers, outputs, batch, dtype):
    account = _account(width=width, layers=layers, outputs=outputs, batch=batch, dtype=dtype)
    account["backward_flops"] = 2 * account["forward_flops"]
    return account
