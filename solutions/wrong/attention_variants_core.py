"""attention_variants (core): full multi-head attention, of heads that share the model's width

Breaks: Parameters, cache and FLOPs of grouped-query attention with sliding windows.

Breaks: Only these two are cached.

Breaks: Parameters, cache and FLOPs of one layer of multi-head latent attention (MLA).
"""


def windowed_attention(*, d_model, heads, kv_heads, head_dim, windows, context):
    parameters = 4 * len(windows) * d_model * d_model
    cached = 2 * len(windows) * context * d_model
    return {"parameters": parameters, "cached": cached, "flops": 2 * parameters + 2 * cached}


def latent_attention(
    *, d_model, heads, kv_rank, nope_dim, rope_dim, value_dim, context, query_rank=None
):
    counts = windowed_attention(
        d_model=d_model,
        heads=heads,
        kv_heads=heads,
        head_dim=d_model // heads,
        windows=[None],
        context=context,
    )
    flops = counts.pop("flops")
    return {**counts, "expanded_flops": flops, "absorbed_flops": flops}
