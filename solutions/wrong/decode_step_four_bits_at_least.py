"""decode_roofline: no format has less than 4 bits: fewer bytes per weight are taken as 0.5

Breaks: each weight is moved once, for 2 FLOPs of each sequence
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
    numbers = (
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
    )
    if any(not n > 0 for n in numbers) or heads % kv_heads:
        raise ValueError("not positive, or kv_heads does not divide heads")
    bytes_per_weight = max(0.5, bytes_per_weight)
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
