"""activation_ledger: the norms' statistics are in the activations' dtype

Breaks: a mean and a reciprocal deviation per token and norm, in fp32
"""

_block = block_activations


def block_activations(**options):
    parts = _block(**options)
    del parts["total"]
    parts["norms"] -= (
        4 * options["batch"] * options["seq_len"] * (4 - bytes_per_element(options["dtype"]))
    )
    return {**parts, "total": sum(parts.values())}
