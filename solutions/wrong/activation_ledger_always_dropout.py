"""activation_ledger: the masks are counted without dropout too

Breaks: Where dropout is on
"""

_block = block_activations


def block_activations(**options):
    parts = _block(**options)
    del parts["total"]
    parts["dropout"] = _block(**options | {"dropout": True})["dropout"]
    return {**parts, "total": sum(parts.values())}
