"""largest_batch: counts by building layers on the meta device, which refuses widths beyond 2**31

Breaks: `layers + 2` modules: (parameters, held, needed) of each.
"""


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
    if context < seq_len:
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
    with torch.device("meta"):
        built = [torch.nn.LayerNorm(d_model)] * 2 + [torch.nn.Linear(d_model, d_model)] * 4
        built += [torch.nn.Linear(d_model, d_ff), torch.nn.Linear(d_ff, d_model)]
    counted = sum(p.numel() for layer in built for p in layer.parameters())
    last = model["final_norm"] + model["lm_head"] + model["loss"]
    return [
        (context * d_model, model["embedding"], model["embedding"]),
        *[(counted, held, needed)] * layers,
        (2 * d_model + vocab * d_model, last, last),
    ]
