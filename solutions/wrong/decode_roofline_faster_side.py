"""decode_roofline: each part takes as long as its faster side

Breaks: The least time of a decode step, and the speed that follows.

Breaks: which are those of `step_intensity` for one new token

Breaks: Each takes as long as the slower of its arithmetic and its traffic
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
    weights = min(flops["weights"] / peak_flops, moved["weights"] / bandwidth)
    attention = min(flops["attention"] / peak_flops, moved["attention"] / bandwidth)
    seconds = weights + attention
    return {
        "weights": weights,
        "attention": attention,
        "seconds": seconds,
        "tokens_per_second": batch / seconds,
    }
