"""activation_ledger: the width of a head is computed by `/`, so a width over 2**53 is rounded"""


def block_activations(
    *,
    batch: int,
    seq_len: int,
    d_model: int,
    heads: int,
    d_ff: int,
    dtype: torch.dtype,
    dropout: bool,
    attention: str,
) -> dict[str, int]:
    if min(batch, seq_len, d_model, d_ff) < 0:
        raise ValueError("a size is negative")
    if heads < 1 or d_model % heads:
        raise ValueError("heads do not divide d_model")
    if attention not in ("math", "flash"):
        raise ValueError(f"unknown attention {attention!r}")
    size = bytes_per_element(dtype)
    tokens = batch * seq_len
    wide = tokens * d_model * size
    head_width = int(d_model / heads)
    hidden = tokens * d_ff * size
    scores = tokens * seq_len * heads
    flash = attention == "flash"
    parts = {
        "norms": 2 * wide + 2 * 2 * 4 * tokens,
        "qkv": wide,
        "scores": 2 * tokens * heads * head_width * size,
        "softmax": 4 * heads * tokens if flash else scores * size,
        "values": tokens * heads * head_width * size
        + (scores * size if dropout and not flash else 0),
        "output": wide,
        "up": wide,
        "gelu": hidden,
        "down": hidden,
        "dropout": 2 * tokens * d_model + (0 if flash else scores) if dropout else 0,
    }
    parts["total"] = sum(parts.values())
    return parts
