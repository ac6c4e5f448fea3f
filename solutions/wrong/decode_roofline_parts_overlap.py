"""decode_roofline: arithmetic and traffic of the whole step overlap

Breaks: A step has two parts, which do not overlap: the products with weights, and attention.
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
    weights = max(flops["weights"] / peak_flops, moved["weights"] / bandwidth)
    attention = max(flops["attention"] / peak_flops, moved["attention"] / bandwidth)
    seconds = max(sum(flops.values()) / peak_flops, sum(moved.values()) / bandwidth)
    return {
        "weights": weights,
        "attention": attention,
        "seconds": seconds,
        "tokens_per_second": batch / seconds,
    }
