"""Inference, matrix by matrix and in loops."""

import itertools
import math

from .dtypes import bytes_per_element


def _not_negative(*sizes):
    for size in sizes:
        if size < 0:
            raise ValueError(f"{size} is negative")


def _positive(*numbers):
    for number in numbers:
        if not number > 0:
            raise ValueError(f"{number} is not positive")


def kv_cache_bytes(batch, tokens, layers, kv_heads, head_dim, dtype):
    _not_negative(batch, tokens, layers, kv_heads, head_dim)
    total = 0
    for _ in ("keys", "values"):
        total += batch * layers * kv_heads * tokens * head_dim * bytes_per_element(dtype)
    return total


def largest_cached_batch(memory, weights, tokens, layers, kv_heads, head_dim, dtype):
    _not_negative(memory, weights, memory - weights)
    if kv_cache_bytes(1, tokens, layers, kv_heads, head_dim, dtype) == 0:
        raise ValueError("any number of sequences fits")

    def fits(batch):
        return weights + kv_cache_bytes(batch, tokens, layers, kv_heads, head_dim, dtype) <= memory

    above = 1
    while fits(above):
        above *= 2
    below = above // 2  # fits, or is 0
    while above - below > 1:
        middle = (above + below) // 2
        if fits(middle):
            below = middle
        else:
            above = middle
    return below


def windowed_attention(*, d_model, heads, kv_heads, head_dim, windows, context):
    counts = {"flops": 0, "cached": 0, "parameters": 0}
    for window in windows:
        tokens = context
        if window is not None and window < context:
            tokens = window
        for columns in (heads, kv_heads, kv_heads, heads):
            counts["parameters"] += d_model * columns * head_dim
            counts["flops"] += 2 * d_model * columns * head_dim
        for _ in ("keys", "values"):
            counts["cached"] += tokens * kv_heads * head_dim
            counts["flops"] += 2 * heads * tokens * head_dim
    return counts


def latent_attention(
    *, d_model, heads, kv_rank, nope_dim, rope_dim, value_dim, context, query_rank=None
):
    widths = [d_model, heads * (nope_dim + rope_dim)]
    if query_rank is not None:
        widths.insert(1, query_rank)
    once = list(itertools.pairwise(widths))
    once += [(d_model, kv_rank), (d_model, rope_dim), (heads * value_dim, d_model)]
    for_keys, for_values = (kv_rank, heads * nope_dim), (kv_rank, heads * value_dim)
    # Rows, elements of a row, columns.
    products = [(1, *sizes) for sizes in once]
    expanded = products + [(context, *sizes) for sizes in (for_keys, for_values)]
    absorbed = products + [(1, *sizes) for sizes in (for_keys, for_values)]
    expanded += [(heads, nope_dim + rope_dim, context), (heads, context, value_dim)]
    absorbed += [(heads, kv_rank, context), (heads, rope_dim, context), (heads, context, kv_rank)]
    return {
        "absorbed_flops": sum(2 * math.prod(product) for product in absorbed),
        "expanded_flops": sum(2 * math.prod(product) for product in expanded),
        "cached": context * kv_rank + context * rope_dim,
        "parameters": sum(rows * columns for rows, columns in [*once, for_keys, for_values]),
    }


def _forward(queries, keys, vocab, layers, d_model, heads, d_ff, batch, kv_heads, gated):
    if kv_heads is None:
        kv_heads = heads
    _positive(queries, keys, heads, kv_heads)
    _not_negative(vocab, layers, d_model, d_ff, batch)
    if d_model % heads != 0 or heads % kv_heads != 0:
        raise ValueError("heads do not divide")
    head = d_model // heads
    matrices = [(d_model, heads * head), (heads * head, d_model)]
    matrices += [(d_model, kv_heads * head), (d_model, kv_heads * head)]
    matrices += [(d_model, d_ff), (d_ff, d_model)]
    if gated:
        matrices.append((d_model, d_ff))
    weights = 0
    for rows, columns in matrices:
        weights += 2 * batch * queries * rows * columns * layers
    weights += 2 * batch * d_model * vocab
    scores = 2 * batch * heads * queries * head * keys * layers
    values = 2 * batch * heads * queries * keys * head * layers
    attention = scores + values
    return {"weights": weights, "attention": attention, "total": weights + attention}


def prefill_flops(
    *, vocab, layers, d_model, heads, d_ff, prompt, batch=1, kv_heads=None, gated=True
):
    return _forward(prompt, prompt, vocab, layers, d_model, heads, d_ff, batch, kv_heads, gated)


def decode_flops(
    *, vocab, layers, d_model, heads, d_ff, context, batch=1, kv_heads=None, gated=True
):
    return _forward(1, context, vocab, layers, d_model, heads, d_ff, batch, kv_heads, gated)


def step_intensity(batch, new_tokens, heads, kv_heads, bytes_per_weight, bytes_per_cached):
    _positive(batch, new_tokens, heads, kv_heads, bytes_per_weight, bytes_per_cached)
    if heads % kv_heads != 0:
        raise ValueError("kv_heads does not divide heads")
    queries_of_a_key = new_tokens * (heads // kv_heads)
    return {
        "weights": (2 * batch * new_tokens) / bytes_per_weight,
        "attention": (4 * queries_of_a_key) / (2 * bytes_per_cached),
    }


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
    _positive(context, parameters, layers, head_dim, peak_flops, bandwidth)
    reached = step_intensity(batch, 1, heads, kv_heads, bytes_per_weight, bytes_per_cached)
    flops = {
        "weights": 2 * parameters * batch,
        "attention": 2 * 2 * context * batch * layers * heads * head_dim,
    }
    result, seconds = {}, 0.0
    for part in ("weights", "attention"):
        speed = min(peak_flops, reached[part] * bandwidth)
        result[part] = flops[part] / speed
        seconds += result[part]
    result["seconds"] = seconds
    result["tokens_per_second"] = batch / seconds
    return result


def compute_bound_batch(bytes_per_weight, peak_flops, bandwidth):
    _positive(bytes_per_weight, peak_flops, bandwidth)
    width, width_under = float(bytes_per_weight).as_integer_ratio()
    peak, peak_under = peak_flops.as_integer_ratio()
    speed, speed_under = bandwidth.as_integer_ratio()
    left = width * peak * speed_under
    right = 2 * speed * peak_under * width_under
    batch = left // right
    if batch * right < left:
        batch += 1
    return batch
