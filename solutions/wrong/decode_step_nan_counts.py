"""decode_roofline: checks counts with <= 0, which nan passes

Breaks: an argument is not positive, or `kv_heads` does not divide `heads`.
"""


def decode_step(
    *,
    batch: int,
    context: int,
    parameters: int,
    layers: int,
    heads: int,
    kv_heads: int,
    head_dim: int,
    bytes_per_weight: float,
    bytes_per_cached: float,
    peak_flops: float,
    bandwidth: float,
) -> dict[str, float]:
    if any(n <= 0 for n in (batch, context, parameters, layers, heads, kv_heads, head_dim)):
        raise ValueError("a count is not positive")
    if any(not n > 0 for n in (bytes_per_weight, bytes_per_cached, peak_flops, bandwidth)):
        raise ValueError("not positive")
    if heads % kv_heads:
        raise ValueError("kv_heads does not divide heads")
    keys = batch * context * layers * head_dim
    weights = max(2 * batch * parameters / peak_flops, parameters * bytes_per_weight / bandwidth)
    attention = max(
        4 * keys * heads / peak_flops, 2 * keys * kv_heads * bytes_per_cached / bandwidth
    )
    seconds = weights + attention
    return {
        "weights": weights,
        "attention": attention,
        "seconds": seconds,
        "tokens_per_second": batch / seconds,
    }
