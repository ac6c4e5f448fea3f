"""activation_ledger: the norms keep no statistics, as in the paper

Breaks: Kept for the backward pass is what torch's autograd keeps

Breaks: "norms": the inputs of both; a mean and a reciprocal deviation per token and norm, in fp32
"""

_block = block_activations


def block_activations(**options):
    parts = _block(**options)
    del parts["total"]
    parts["norms"] -= 16 * options["batch"] * options["seq_len"]
    return {**parts, "total": sum(parts.values())}
