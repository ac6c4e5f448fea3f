"""activation_ledger: flash attention keeps a maximum and a sum for each row

Breaks: one fp32 number per head and token
"""

_block = block_activations


def block_activations(**options):
    parts = _block(**options)
    del parts["total"]
    if options["attention"] == "flash":
        parts["softmax"] *= 2
    return {**parts, "total": sum(parts.values())}
