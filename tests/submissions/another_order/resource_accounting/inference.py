"""Inference, by what other chapters count."""

from decimal import Decimal, localcontext

import numpy as np
import torch

from .dtypes import tensor_bytes
from .flops import matmul_flops, transformer_forward_flops, transformer_parameters
from .roofline import least_time


def _refuse_unless(condition):
    if not condition:
        raise ValueError("cannot be")


def kv_cache_bytes(batch, tokens, layers, kv_heads, head_dim, dtype):
    keys = tensor_bytes([batch, kv_heads, tokens, head_dim], dtype)
    _refuse_unless(layers >= 0)
    return layers * (keys + keys)


def largest_cached_batch(memory, weights, tokens, layers, kv_heads, head_dim, dtype):
    left = memory - weights
    one = kv_cache_bytes(1, tokens, layers, kv_heads, head_dim, dtype)
    _refuse_unless(weights >= 0 and left >= 0 and one > 0)
    return (left - left % one) // one


def windowed_attention(*, d_model, heads, kv_heads, head_dim, windows, context):
    cached = 0
    for window in windows:
        cached += tensor_bytes(
            [2, kv_heads, len(range(context)[-(window or context) :]), head_dim], torch.int8
        )
    each = matmul_flops(d_model, 2 * head_dim, kv_heads + heads)
    meetings = 2 * cached * heads // kv_heads
    return {
        "flops": len(windows) * each + meetings,
        "cached": cached,
        "parameters": len(windows) * each // 2,
    }


def latent_attention(
    *, d_model, heads, kv_rank, nope_dim, rope_dim, value_dim, context, query_rank=None
):
    # As multi-query attention, whose one key is a latent and a rotated part.
    key = kv_rank + rope_dim
    wide = heads * (nope_dim + rope_dim)
    queries = d_model * wide if query_rank is None else d_model * query_rank + query_rank * wide
    heads_matrices = heads * (nope_dim * kv_rank + kv_rank * value_dim)
    weights = queries + d_model * key + heads_matrices + heads * value_dim * d_model
    absorbed = 2 * weights + matmul_flops(heads, key, context)
    absorbed += matmul_flops(heads, context, kv_rank)
    saved = 2 * heads * context * (2 * kv_rank - nope_dim - value_dim)
    return {
        "parameters": weights,
        "absorbed_flops": absorbed,
        "expanded_flops": absorbed - saved + 2 * (context - 1) * heads_matrices,
        "cached": context * key,
    }


def prefill_flops(*, prompt, batch=1, **model):
    _refuse_unless(prompt > 0)
    every = transformer_forward_flops(seq_len=prompt, batch=batch, **model)
    attention = every["scores"] + every["values"]
    last = matmul_flops(batch, model["d_model"], model["vocab"])
    weights = every["total"] - attention - every["lm_head"] + last
    return {"total": weights + attention, "attention": attention, "weights": weights}


def decode_flops(*, context, batch=1, **model):
    _refuse_unless(context > 0 and batch >= 0)
    parts = transformer_parameters(**model)
    weights = 2 * batch * (parts["attention"] + parts["feed_forward"] + parts["lm_head"])
    once = transformer_forward_flops(seq_len=1, batch=batch, **model)
    attention = context * (once["scores"] + once["values"])
    return {"total": weights + attention, "attention": attention, "weights": weights}


def step_intensity(batch, new_tokens, heads, kv_heads, bytes_per_weight, bytes_per_cached):
    _refuse_unless(min(batch, new_tokens, heads, kv_heads) >= 1 and heads % kv_heads == 0)
    _refuse_unless(bytes_per_weight > 0 and bytes_per_cached > 0)
    shared = heads / kv_heads
    return {
        "attention": new_tokens / bytes_per_cached * shared * 2,
        "weights": new_tokens / bytes_per_weight * batch * 2,
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
    numbers = [batch, context, parameters, layers, heads, kv_heads, head_dim]
    numbers += [bytes_per_weight, bytes_per_cached, peak_flops, bandwidth]
    _refuse_unless(np.all(np.array(numbers, dtype=np.float64) > 0) and heads % kv_heads == 0)
    cached = kv_heads * head_dim * 2 * layers * context * batch
    work = (
        (parameters * batch * 2, parameters * bytes_per_weight),
        (cached * 2 * (heads // kv_heads), cached * bytes_per_cached),
    )
    weights, attention = (least_time([part], peak_flops, bandwidth) for part in work)
    seconds = least_time(work, peak_flops, bandwidth)
    return {
        "tokens_per_second": batch * (1 / seconds),
        "seconds": seconds,
        "weights": weights,
        "attention": attention,
    }


def compute_bound_batch(bytes_per_weight, peak_flops, bandwidth):
    _refuse_unless(bytes_per_weight > 0 and peak_flops > 0 and bandwidth > 0)
    with localcontext(prec=2000, Emax=10**6, Emin=-(10**6)):
        width, peak, speed = map(Decimal, (bytes_per_weight, peak_flops, bandwidth))
        whole, rest = divmod(width * peak, 2 * speed)
        return int(whole) + bool(rest)
