"""activation_ledger: there is dropout after GELU too

Breaks: it comes after the embedding, after the softmax, and at the end of both halves of a block
"""

_block = block_activations


def block_activations(**options):
    parts = _block(**options)
    del parts["total"]
    if options["dropout"]:
        parts["dropout"] += options["batch"] * options["seq_len"] * options["d_ff"]
    return {**parts, "total": sum(parts.values())}
