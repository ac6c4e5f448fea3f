"""activation_ledger: bytes of a row of logarithms are a float first, so a vocab over 2**53 is rounded

Breaks: keeps the logarithms of the probabilities of all tokens of the vocabulary
"""


def model_activations(
    *,
    vocab: int,
    layers: int,
    batch: int,
    seq_len: int,
    d_model: int,
    heads: int,
    d_ff: int,
    dtype: torch.dtype,
    dropout: bool,
    attention: str,
) -> dict[str, int]:
    if vocab < 0 or layers < 0:
        raise ValueError("vocab and layers must not be negative")
    block = block_activations(
        batch=batch,
        seq_len=seq_len,
        d_model=d_model,
        heads=heads,
        d_ff=d_ff,
        dtype=dtype,
        dropout=dropout,
        attention=attention,
    )
    tokens = batch * seq_len
    wide = tokens * d_model * bytes_per_element(dtype)
    row = int(torch.finfo(torch.float32).bits / 8 * vocab)
    parts = {
        "embedding": tokens * d_model if dropout else 0,
        "blocks": layers * block["total"],
        "final_norm": wide + 8 * tokens,
        "lm_head": wide,
        "loss": tokens * row,
    }
    parts["total"] = sum(parts.values())
    return parts
