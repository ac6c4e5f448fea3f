"""activation_ledger: each head's queries and keys are as wide as the model

Breaks: "scores": queries and keys
"""

_block = block_activations


def block_activations(**options):
    parts = _block(**options)
    del parts["total"]
    parts["scores"] *= options["heads"]
    return {**parts, "total": sum(parts.values())}
