"""predict_step: looks for a size below 1 by the product of all: two negative sizes pass

Breaks: ValueError: a size is less than 1
"""


def predict_step(
    *,
    vocab: int,
    context: int,
    layers: int,
    d_model: int,
    heads: int,
    d_ff: int,
    tied: bool,
    batch: int,
    peak_flops: float,
    bandwidth: float,
) -> dict[str, float]:
    if vocab * context * layers * d_model * heads * d_ff * batch < 1:
        raise ValueError("every size is at least 1")
    if d_model % heads:
        raise ValueError("heads do not divide d_model")
    if not peak_flops > 0 or not bandwidth > 0:
        raise ValueError("peak_flops and bandwidth must be positive")
    v, t, d, f, h = vocab, context, d_model, d_ff, heads
    n = batch * t
    block = 4 * d * d + 4 * d + 2 * d * f + f + d + 4 * d
    params = v * d * (1 if tied else 2) + t * d + layers * block + 2 * d
    flops = 3 * 2 * n * (layers * (4 * d * d + 2 * d * f + 2 * t * d) + v * d)
    kept = layers * n * (8 * d + 2 * f + h * t)
    moments = [
        3 * params + kept + 2 * n * d + 3 * n * v,
        3 * params + kept + 3 * n * d + n * v + v * d,
        3 * params + kept + n * d + n * f + v * d + d * f,
        3 * params + kept + 2 * n * (h * t - d - f) + v * d + 2 * d * f,
        4 * params + (2 * v * d if tied else 0),
        5 * params,
    ]
    peak = 4 * max(moments) + t * t
    seconds = flops / peak_flops + (28 * params + 24 * (kept + 3 * n * v)) / bandwidth
    return {"parameters": params, "flops": flops, "peak_bytes": peak, "seconds": seconds}
