"""decode_roofline (core): all is in bf16 and waits for memory; a ratio of floats is the batch

Breaks: Each takes as long as the slower of its arithmetic and its traffic

Breaks: FLOP/B of "weights" and of "attention".
"""

_right_step = decode_step


def step_intensity(batch, new_tokens, heads, kv_heads, bytes_per_weight, bytes_per_cached):
    return {"weights": float(batch * new_tokens), "attention": float(heads // kv_heads)}


def decode_step(**given):
    step = {**given, "peak_flops": float("inf")}
    return _right_step(**step)


def compute_bound_batch(bytes_per_weight, peak_flops, bandwidth):
    return math.ceil(peak_flops / bandwidth)
