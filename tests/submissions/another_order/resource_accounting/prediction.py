"""A step, per token and per layer first."""


def predict_step(**g):
    rates = g.pop("peak_flops"), g.pop("bandwidth")
    if not all(rate > 0 for rate in rates):
        raise ValueError("no device")
    shared = g.pop("tied")
    if any(size <= 0 for size in g.values()) or g["d_model"] % g["heads"]:
        raise ValueError("no model")
    v, t, depth, d, h, f, b = (
        g[key] for key in ("vocab", "context", "layers", "d_model", "heads", "d_ff", "batch")
    )
    layer_matrices = 2 * d * (2 * d + f)
    layer_vectors = 9 * d + f
    copies = 1 if shared else 2
    count = depth * (layer_matrices + layer_vectors) + d * (copies * v + t + 2)
    work = 6 * b * t * (depth * (layer_matrices + 2 * d * t) + d * v)

    # In each token, then with all tokens; bytes.
    layer = 8 * d + 2 * f + h * t
    at_the_head = max(2 * d + 3 * v, 3 * d + v)
    in_the_last_layer = max(d + f + d * (v + f) / (b * t), 2 * (h * t - d - f) + d * (v + 2 * f) / (b * t))
    tokens = 4 * b * t * (depth * layer + max(at_the_head, in_the_last_layer))
    peak = max(12 * count + round(tokens), 20 * count, 16 * count + 8 * v * d * shared) + t * t
    return {
        "seconds": sum((work / rates[0], 40 * count / rates[1])),
        "peak_bytes": peak,
        "flops": work,
        "parameters": count,
    }
