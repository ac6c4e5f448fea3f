"""decode_roofline: attention has the same bound as the weights

Breaks: Each takes as long as the slower of its arithmetic and its traffic.
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
    is_compute = flops["weights"] / peak_flops > moved["weights"] / bandwidth
    weights = max(flops["weights"] / peak_flops, moved["weights"] / bandwidth)
    attention = flops["attention"] / peak_flops if is_compute else moved["attention"] / bandwidth
    seconds = weights + attention
    return {
        "weights": weights,
        "attention": attention,
        "seconds": seconds,
        "tokens_per_second": batch / seconds,
    }
