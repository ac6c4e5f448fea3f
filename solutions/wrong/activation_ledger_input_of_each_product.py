"""activation_ledger: queries, keys and values each keep an input of their own

Breaks: "qkv": the input that the three products share
"""

_block = block_activations


def block_activations(**options):
    parts = _block(**options)
    del parts["total"]
    parts["qkv"] *= 3
    return {**parts, "total": sum(parts.values())}
