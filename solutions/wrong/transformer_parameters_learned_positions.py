"""transformer_parameters: the embedding has 1024 learned positions, as in GPT-2

Breaks: Position embeddings are rotary (RoPE) and have no parameters
"""

_right_parameters = transformer_parameters


def transformer_parameters(**sizes):
    parts = _right_parameters(**sizes)
    for part in ("embedding", "total"):
        parts[part] += 1024 * sizes["d_model"]
    return parts
