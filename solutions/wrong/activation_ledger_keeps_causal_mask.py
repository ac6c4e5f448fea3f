"""activation_ledger: the causal mask is counted

Breaks: Parameters, the causal mask, the batch's tokens and targets, and single numbers are not
counted.
"""

_block = block_activations


def block_activations(**options):
    parts = _block(**options)
    del parts["total"]
    if options["attention"] == "math":
        parts["softmax"] += options["seq_len"] ** 2
    return {**parts, "total": sum(parts.values())}
