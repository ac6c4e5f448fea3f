"""activation_ledger: the scores are counted beside the softmax's output, as if softmax kept its input

Breaks: "softmax": its output
"""

_block = block_activations


def block_activations(**options):
    parts = _block(**options)
    del parts["total"]
    if options["attention"] == "math":
        parts["scores"] += parts["softmax"]
    return {**parts, "total": sum(parts.values())}
