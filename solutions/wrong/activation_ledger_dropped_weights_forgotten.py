"""activation_ledger: the dropped-out weights are not counted

Breaks: with dropout, the dropped-out weights too, a factor of their product
"""

_block = block_activations


def block_activations(**options):
    parts = _block(**options)
    del parts["total"]
    if options["attention"] == "math" and options["dropout"]:
        parts["values"] -= parts["softmax"]
    return {**parts, "total": sum(parts.values())}
