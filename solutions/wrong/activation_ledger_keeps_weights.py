"""activation_ledger: the products keep their weights too

Breaks: Parameters, the causal mask, the batch's tokens and targets, and single numbers are not
counted.
"""

_block = block_activations


def block_activations(**options):
    parts = _block(**options)
    del parts["total"]
    parts["up"] += options["d_model"] * options["d_ff"] * bytes_per_element(options["dtype"])
    parts["down"] += options["d_model"] * options["d_ff"] * bytes_per_element(options["dtype"])
    return {**parts, "total": sum(parts.values())}
