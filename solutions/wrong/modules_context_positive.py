"""largest_batch: a context of 0 is refused, with sequences of 0 tokens too"""


def model_modules(
    *,
    vocab: int,
    context: int,
    layers: int,
    batch: int,
    seq_len: int,
    d_model: int,
    heads: int,
    d_ff: int,
    dtype: torch.dtype,
    dropout: bool,
    attention: str,
    checkpointed: bool,
) -> list[Module]:
    if context < max(1, seq_len):
        raise ValueError("the context is shorter than the sequences")
    shape = dict(
        batch=batch,
        seq_len=seq_len,
        d_model=d_model,
        heads=heads,
        d_ff=d_ff,
        dtype=dtype,
        dropout=dropout,
        attention=attention,
    )
    model = model_activations(vocab=vocab, layers=layers, **shape)
    needed = block_activations(**shape)["total"]
    held = batch * seq_len * d_model * bytes_per_element(dtype) if checkpointed else needed
    norms = 2 * 2 * d_model
    products = 4 * (d_model * d_model + d_model)
    feed_forward = d_model * d_ff + d_ff + d_ff * d_model + d_model
    last = model["final_norm"] + model["lm_head"] + model["loss"]
    return [
        (context * d_model, model["embedding"], model["embedding"]),
        *[(norms + products + feed_forward, held, needed)] * layers,
        (2 * d_model + vocab * d_model, last, last),
    ]
