"""activation_ledger: flash attention's number per row is in the activations' dtype

Breaks: with flash attention instead one fp32 number per head and token
"""

_block = block_activations


def block_activations(**options):
    parts = _block(**options)
    del parts["total"]
    if options["attention"] == "flash":
        parts["softmax"] = parts["softmax"] // 4 * bytes_per_element(options["dtype"])
    return {**parts, "total": sum(parts.values())}
