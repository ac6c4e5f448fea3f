"""activation_ledger: the softmax's output counts again as a factor, also without dropout

Breaks: A tensor that several operations keep counts once, for the first of them.
"""

_block = block_activations


def block_activations(**options):
    parts = _block(**options)
    del parts["total"]
    if options["attention"] == "math" and not options["dropout"]:
        parts["values"] += parts["softmax"]
    return {**parts, "total": sum(parts.values())}
