"""decode_roofline: the new token's key and value are not moved

Breaks: tokens in each sequence, the new one included.

Breaks: all keys and values are moved once, and each query head takes 4 FLOPs for each token
"""

_right_step = decode_step


def decode_step(
    *,
    batch,
    context,
    parameters,
    layers,
    heads,
    kv_heads,
    head_dim,
    bytes_per_weight,
    bytes_per_cached,
    peak_flops,
    bandwidth,
):
    _right_step(**locals())  # raises ValueError
    pairs = batch * context * layers * head_dim
    flops = {"weights": 2 * batch * parameters, "attention": 4 * pairs * heads}
    moved = {
        "weights": parameters * bytes_per_weight,
        "attention": 2 * pairs * kv_heads * bytes_per_cached,
    }
    moved["attention"] *= (context - 1) / context
    weights = max(flops["weights"] / peak_flops, moved["weights"] / bandwidth)
    attention = max(flops["attention"] / peak_flops, moved["attention"] / bandwidth)
    seconds = weights + attention
    return {
        "weights": weights,
        "attention": attention,
        "seconds": seconds,
        "tokens_per_second": batch / seconds,
    }
