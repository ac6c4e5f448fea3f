"""activation_ledger: a norm's output is counted with the norm, though qkv and the first product keep it

Breaks: A tensor that several operations keep counts once, for the first of them.
"""

_block = block_activations


def block_activations(**options):
    parts = _block(**options)
    del parts["total"]
    parts["norms"] += 2 * parts["qkv"]
    return {**parts, "total": sum(parts.values())}
