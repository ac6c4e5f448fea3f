"""activation_ledger: the values are not counted

Breaks: "values": the values
"""

_block = block_activations


def block_activations(**options):
    parts = _block(**options)
    del parts["total"]
    parts["values"] -= parts["qkv"]
    return {**parts, "total": sum(parts.values())}
