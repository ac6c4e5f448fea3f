"""activation_ledger: flash attention keeps the dropped-out weights

Breaks: Flash attention keeps no tensor of the scores' size, and computes them again

Breaks: with dropout neither its mask nor dropped-out weights
"""

_block = block_activations


def block_activations(**options):
    parts = _block(**options)
    del parts["total"]
    if options["attention"] == "flash" and options["dropout"]:
        parts["values"] += (
            options["batch"]
            * options["seq_len"]
            * options["heads"]
            * options["seq_len"]
            * bytes_per_element(options["dtype"])
        )
    return {**parts, "total": sum(parts.values())}
