"""activation_ledger: the feed-forward is gated, with three products

Breaks: Norms are LayerNorms, all linear layers but the lm_head have biases, and the feed-forward is
two of them with a GELU between
"""

_block = block_activations


def block_activations(**options):
    parts = _block(**options)
    del parts["total"]
    parts["down"] += parts["gelu"]
    return {**parts, "total": sum(parts.values())}
