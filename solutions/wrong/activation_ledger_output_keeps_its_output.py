"""activation_ledger: the last product of attention keeps nothing, since its output is added at once

Breaks: "output": the input of attention's last product
"""

_block = block_activations


def block_activations(**options):
    parts = _block(**options)
    del parts["total"]
    parts["output"] = 0
    return {**parts, "total": sum(parts.values())}
