"""activation_ledger: each residual sum keeps both its terms

Breaks: each tensor that an operation's backward reads, once

Breaks: A block is x ← x + attention(norm(x)), then x ← x + feed_forward(norm(x)).
"""

_block = block_activations


def block_activations(**options):
    parts = _block(**options)
    del parts["total"]
    parts["output"] += parts["qkv"]
    parts["down"] += parts["qkv"]
    return {**parts, "total": sum(parts.values())}
