"""decode_roofline: counts parameters in float32

Breaks: Each takes as long as the slower of its arithmetic and its traffic
"""

import numpy as np

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
    flops["weights"] = float(np.float32(flops["weights"]))
    weights = max(flops["weights"] / peak_flops, moved["weights"] / bandwidth)
    attention = max(flops["attention"] / peak_flops, moved["attention"] / bandwidth)
    seconds = weights + attention
    return {
        "weights": weights,
        "attention": attention,
        "seconds": seconds,
        "tokens_per_second": batch / seconds,
    }
