"""FLOPs, by other formulas."""

import re
from fractions import Fraction
from functools import reduce
from operator import mul


def _product(numbers):
    return reduce(mul, numbers, 1)


def _refuse_if(condition, *seen):
    if condition:
        raise ValueError(f"cannot be: {seen}")


def matmul_flops(B, D, K):
    return einsum_flops("b d, d k -> b k", [B, D], [D, K])


def linear_forward_flops(batch, d_in, d_out):
    return mlp_forward_flops(batch, [d_in, d_out])


def linear_backward_flops(batch, d_in, d_out, input_needs_grad):
    return mlp_backward_flops(batch, [d_in, d_out], input_needs_grad)


def mlp_forward_flops(batch, widths):
    _refuse_if(len(widths) < 2 or min(batch, *widths) < 0, batch, widths)
    return 2 * batch * sum(a * b for a, b in zip(widths, widths[1:]))


def mlp_backward_flops(batch, widths, input_needs_grad):
    saved = 0 if input_needs_grad else 2 * batch * _product(widths[:2])
    return 2 * mlp_forward_flops(batch, widths) - saved


def einsum_flops(pattern, *shapes):
    names = r"\s*(?:[^\W\d]\w*(?:\s+[^\W\d]\w*)*)?\s*"
    _refuse_if(not re.fullmatch(f"{names}(?:,{names})*->{names}", pattern), pattern)
    left, result = (side for side in pattern.split("->"))
    operands = [axes.split() for axes in left.split(",")]
    _refuse_if([len(axes) for axes in operands] != [len(shape) for shape in shapes], shapes)
    pairs = {pair for axes, shape in zip(operands, shapes) for pair in zip(axes, shape)}
    axes = sorted(axis for axis, _ in pairs)
    _refuse_if(len(axes) != len(set(axes)), pairs)
    _refuse_if(any(size < 0 for _, size in pairs), pairs)
    _refuse_if(set(result.split()) - set(axes), result)
    _refuse_if(len(result.split()) != len(set(result.split())), result)
    visits = _product(size for _, size in pairs)
    return (len(operands) - 1) * visits + visits


def elementwise_flops(shape, per_element=1):
    _refuse_if(any(size < 0 for size in (per_element, *shape)), shape, per_element)
    return per_element * _product(shape)


def _group(d_model, heads, kv_heads):
    """The number of query heads that share one key head."""
    kv_heads = heads if kv_heads is None else kv_heads
    _refuse_if(heads < 1 or kv_heads < 1, heads, kv_heads)
    _refuse_if(d_model % heads != 0 or heads % kv_heads != 0, d_model, heads, kv_heads)
    return heads // kv_heads


def transformer_parameters(
    *, vocab, layers, d_model, heads, d_ff, kv_heads=None, gated=True, tied=False
):
    group = _group(d_model, heads, kv_heads)
    _refuse_if(any(n < 0 for n in (vocab, layers, d_model, d_ff)), vocab, layers, d_model, d_ff)
    square = d_model**2
    attention = layers * (2 * square + 2 * square // group)
    feed_forward = layers * d_ff * d_model * (2 + int(gated))
    norms = d_model + layers * d_model + layers * d_model
    ends = vocab * d_model
    heads_own = ends * (1 - int(tied))
    return {
        "total": attention + feed_forward + norms + ends + heads_own,
        "lm_head": heads_own,
        "norms": norms,
        "feed_forward": feed_forward,
        "attention": attention,
        "embedding": ends,
    }


def transformer_forward_flops(
    *, vocab, layers, d_model, heads, d_ff, seq_len, batch=1, kv_heads=None, gated=True
):
    group = _group(d_model, heads, kv_heads)
    tokens = batch * seq_len
    _refuse_if(batch < 0 or seq_len < 0, batch, seq_len)
    weights = transformer_parameters(
        vocab=vocab,
        layers=layers,
        d_model=d_model,
        heads=heads,
        d_ff=d_ff,
        kv_heads=kv_heads,
        gated=gated,
    )
    output = layers * d_model**2
    parts = {
        "feed_forward": 2 * tokens * weights["feed_forward"],
        "output": 2 * tokens * output,
        "qkv": 2 * tokens * (weights["attention"] - output),
        "scores": 2 * layers * batch * d_model * seq_len**2,
        "lm_head": 2 * tokens * weights["lm_head"],
    }
    parts["values"] = parts["scores"]
    assert group >= 1
    return {"total": sum(parts.values()), **parts}


def training_flops(parameters, tokens):
    _refuse_if(parameters < 0 or tokens < 0, parameters, tokens)
    return tokens * parameters * 6


def training_days(parameters, tokens, devices, peak_flops, mfu):
    _refuse_if(devices < 1 or not peak_flops > 0 or not 0 < mfu <= 1, devices, peak_flops, mfu)
    speed = Fraction(mfu) * Fraction(peak_flops) * devices
    return float(training_flops(parameters, tokens) / speed / 3600 / 24)


def mfu(flops, seconds, peak_flops, devices=1):
    _refuse_if(not flops >= 0 or devices < 1 or not (seconds > 0 and peak_flops > 0))
    return (flops / seconds) / (devices * peak_flops)


def moe_parameters(
    *,
    layers,
    d_model,
    d_expert,
    experts,
    experts_per_token,
    shared_experts=0,
    dense_layers=0,
    d_ff=0,
    **others,
):
    mixed = layers - dense_layers
    everyones = d_ff * dense_layers + mixed * d_expert * shared_experts
    whole = transformer_parameters(layers=layers, d_model=d_model, d_ff=1, **others)
    per_width = whole["feed_forward"] // layers
    active = whole["total"] - whole["feed_forward"] + mixed * d_model * experts
    active += per_width * (everyones + mixed * d_expert * experts_per_token)
    idle = per_width * mixed * d_expert * (experts - experts_per_token)
    return {
        "training_flops_per_token": 6 * active,
        "active": active,
        "total": active + idle,
    }


def distinct_experts(experts, experts_per_token, tokens):
    chosen = Fraction(experts_per_token, experts)
    return float(experts - experts * (1 - chosen) ** tokens)
