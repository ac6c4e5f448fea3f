"""activation_ledger: dropout at the end of attention is forgotten

Breaks: of the outputs of both halves
"""

_block = block_activations


def block_activations(**options):
    parts = _block(**options)
    del parts["total"]
    if options["dropout"]:
        parts["dropout"] -= options["batch"] * options["seq_len"] * options["d_model"]
    return {**parts, "total": sum(parts.values())}
