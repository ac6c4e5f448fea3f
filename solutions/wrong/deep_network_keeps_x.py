"""deep_network: x counts, the first product's factor

Breaks: Parameters and x do not count
"""

_account = deep_network_account


def deep_network_account(*, width, layers, outputs, batch, dtype):
    account = _account(width=width, layers=layers, outputs=outputs, batch=batch, dtype=dtype)
    account["saved_bytes"] += batch * width * bytes_per_element(dtype)
    return account
