"""activation_ledger: the hidden layer is four times as wide as the model, whatever d_ff is

Breaks: the inputs of the first product, of GELU and of the second product
"""

_block = block_activations


def block_activations(**options):
    parts = _block(**options)
    del parts["total"]
    parts["gelu"] = parts["down"] = 4 * parts["up"]
    return {**parts, "total": sum(parts.values())}
