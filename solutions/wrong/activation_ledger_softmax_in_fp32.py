"""activation_ledger: the softmax's output is in fp32

Breaks: Elements are of `dtype`, unless the line says fp32 or 1 byte.
"""

_block = block_activations


def block_activations(**options):
    parts = _block(**options)
    del parts["total"]
    if options["attention"] == "math":
        parts["softmax"] = parts["softmax"] // bytes_per_element(options["dtype"]) * 4
    return {**parts, "total": sum(parts.values())}
