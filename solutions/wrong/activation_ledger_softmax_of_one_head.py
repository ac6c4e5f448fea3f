"""activation_ledger: there is one matrix of scores for all heads

Breaks: "softmax": its output
"""

_block = block_activations


def block_activations(**options):
    parts = _block(**options)
    del parts["total"]
    if options["attention"] == "math":
        parts["softmax"] //= options["heads"]
    return {**parts, "total": sum(parts.values())}
