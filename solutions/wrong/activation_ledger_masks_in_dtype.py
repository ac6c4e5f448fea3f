"""activation_ledger: masks take as much as an activation

Breaks: "dropout": a mask of 1 byte per element of the softmax and of the outputs of both halves
"""

_block = block_activations


def block_activations(**options):
    parts = _block(**options)
    del parts["total"]
    parts["dropout"] *= bytes_per_element(options["dtype"])
    return {**parts, "total": sum(parts.values())}
