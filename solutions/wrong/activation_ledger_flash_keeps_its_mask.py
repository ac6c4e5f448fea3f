"""activation_ledger: flash attention keeps the mask of its dropout

Breaks: no softmax, and with dropout neither its mask nor dropped-out weights
"""

_block = block_activations


def block_activations(**options):
    parts = _block(**options)
    del parts["total"]
    if options["attention"] == "flash" and options["dropout"]:
        parts["dropout"] += (
            options["batch"] * options["seq_len"] * options["heads"] * options["seq_len"]
        )
    return {**parts, "total": sum(parts.values())}
