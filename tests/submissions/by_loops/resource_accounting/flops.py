"""FLOPs, counted in loops."""


def _times(*factors):
    result = 1
    for factor in factors:
        if factor < 0:
            raise ValueError(f"{factor} is negative")
        result *= factor
    return result


def matmul_flops(B, D, K):
    multiplications = additions = _times(B, D, K)
    return multiplications + additions


def linear_forward_flops(batch, d_in, d_out):
    return matmul_flops(batch, d_in, d_out)


def linear_backward_flops(batch, d_in, d_out, input_needs_grad):
    flops = matmul_flops(d_in, batch, d_out)
    if input_needs_grad:
        flops += matmul_flops(batch, d_out, d_in)
    return flops


def mlp_forward_flops(batch, widths):
    if len(widths) < 2:
        raise ValueError("too few widths")
    flops = 0
    for i in range(len(widths) - 1):
        flops += matmul_flops(batch, widths[i], widths[i + 1])
    return flops


def mlp_backward_flops(batch, widths, input_needs_grad):
    if len(widths) < 2:
        raise ValueError("too few widths")
    flops = 0
    for i in range(len(widths) - 2, -1, -1):
        flops += linear_backward_flops(
            batch, widths[i], widths[i + 1], input_needs_grad if i == 0 else True
        )
    return flops


def einsum_flops(pattern, *shapes):
    parts = pattern.split("->")
    if len(parts) != 2:
        raise ValueError("expected one arrow")
    operands = parts[0].split(",")
    if len(operands) != len(shapes):
        raise ValueError("expected a shape for each operand")
    known = {}
    for i in range(len(operands)):
        axes = operands[i].split()
        if len(axes) != len(shapes[i]):
            raise ValueError("expected a size for each axis")
        for j in range(len(axes)):
            if not axes[j].replace("_", "a").isalnum() or axes[j][0].isdigit():
                raise ValueError("no name")
            if axes[j] in known and known[axes[j]] != shapes[i][j]:
                raise ValueError("two sizes")
            known[axes[j]] = shapes[i][j]
    seen = []
    for axis in parts[1].split():
        if axis in seen or axis not in known:
            raise ValueError("unknown or twice")
        seen.append(axis)
    visits = _times(*known.values())
    flops = 0
    for _ in operands:
        flops += visits
    return flops


def elementwise_flops(shape, per_element=1):
    return _times(*shape, per_element)


def _kv_heads(d_model, heads, kv_heads):
    if kv_heads is None:
        kv_heads = heads
    if heads <= 0 or kv_heads <= 0:
        raise ValueError("no heads")
    if d_model != d_model // heads * heads or heads != heads // kv_heads * kv_heads:
        raise ValueError("heads do not divide")
    return kv_heads


def transformer_parameters(
    *, vocab, layers, d_model, heads, d_ff, kv_heads=None, gated=True, tied=False
):
    kv_heads = _kv_heads(d_model, heads, kv_heads)
    head = d_model // heads
    matrices = {
        "attention": [(d_model, d_model), (d_model, d_model)] + [(d_model, kv_heads * head)] * 2,
        "feed_forward": [(d_model, d_ff), (d_ff, d_model)] + [(d_model, d_ff)] * bool(gated),
        "norms": [(d_model,), (d_model,)],
    }
    parts = {"embedding": _times(vocab, d_model)}
    for part, shapes in matrices.items():
        parts[part] = 0
        for shape in shapes:
            parts[part] += _times(layers, *shape)
    parts["norms"] += d_model
    parts["lm_head"] = 0
    if not tied:
        parts["lm_head"] = _times(d_model, vocab)
    total = 0
    for count in parts.values():
        total += count
    parts["total"] = total
    return parts


def transformer_forward_flops(
    *, vocab, layers, d_model, heads, d_ff, seq_len, batch=1, kv_heads=None, gated=True
):
    kv_heads = _kv_heads(d_model, heads, kv_heads)
    head = d_model // heads
    products = [
        ("qkv", layers, (batch, seq_len, d_model, d_model)),
        ("qkv", layers, (batch, seq_len, d_model, kv_heads * head)),
        ("qkv", layers, (batch, seq_len, d_model, kv_heads * head)),
        ("scores", layers, (batch, heads, seq_len, head, seq_len)),
        ("values", layers, (batch, heads, seq_len, seq_len, head)),
        ("output", layers, (batch, seq_len, heads * head, d_model)),
        ("feed_forward", layers, (batch, seq_len, d_model, d_ff)),
        ("feed_forward", layers, (batch, seq_len, d_ff, d_model)),
        ("lm_head", 1, (batch, seq_len, d_model, vocab)),
    ]
    if gated:
        products.append(("feed_forward", layers, (batch, seq_len, d_model, d_ff)))
    parts = {}
    total = 0
    for part, times, sizes in products:
        flops = 2 * _times(times, *sizes)
        parts[part] = parts.get(part, 0) + flops
        total += flops
    parts["total"] = total
    return parts


def training_flops(parameters, tokens):
    forward = _times(2, parameters, tokens)
    backward = _times(4, parameters, tokens)
    return forward + backward


def training_days(parameters, tokens, devices, peak_flops, mfu):
    if devices <= 0 or not peak_flops > 0 or not 0 < mfu <= 1:
        raise ValueError("no such run")
    seconds = training_flops(parameters, tokens) / peak_flops / devices / mfu
    return seconds / 60 / 60 / 24


def mfu(flops, seconds, peak_flops, devices=1):
    for number in (seconds, peak_flops, devices):
        if not number > 0:
            raise ValueError("expected a positive number")
    if not flops >= 0:
        raise ValueError("expected FLOPs")
    return flops / seconds / devices / peak_flops


def moe_parameters(
    *,
    vocab,
    layers,
    d_model,
    heads,
    d_expert,
    experts,
    experts_per_token,
    shared_experts=0,
    dense_layers=0,
    d_ff=0,
    kv_heads=None,
    tied=False,
):
    kv_width = d_model // heads * (heads if kv_heads is None else kv_heads)
    attention = 2 * d_model * d_model + 2 * d_model * kv_width
    expert = 3 * d_model * d_expert
    dense = [("attention", attention), ("norms", 2 * d_model), ("feed-forward", 3 * d_model * d_ff)]
    mixed = dense[:2] + [("router", d_model * experts)]
    mixed += [("shared", expert * shared_experts), ("routed", expert * experts)]
    total = vocab * d_model + d_model
    if not tied:
        total += vocab * d_model
    active = total
    for times, parts in ((dense_layers, dense), (layers - dense_layers, mixed)):
        for part, count in parts:
            total += times * count
            active += times * (expert * experts_per_token if part == "routed" else count)
    return {"active": active, "total": total, "training_flops_per_token": 2 * active + 4 * active}


def distinct_experts(experts, experts_per_token, tokens):
    # Each token finds the experts that are still new, and takes its share of them.
    new = float(experts)
    for _ in range(tokens):
        new -= new * experts_per_token / experts
        if new < 1e-300:
            break
    return experts - new
