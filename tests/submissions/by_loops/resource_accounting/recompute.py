"""Activation checkpointing with its own autograd function."""

import torch


def segment_bounds(layers, segments):
    if segments < 1 or segments > layers:
        raise ValueError(f"{segments} segments of {layers} layers")
    sizes = [0] * segments
    for i in range(layers):
        sizes[i % segments] += 1
    bounds, start = [], 0
    for size in sizes:
        bounds.append((start, start + size))
        start += size
    return bounds


def best_segments(layers):
    if layers < 1:
        raise ValueError(f"{layers} layers")
    best, least = None, None
    for segments in range(1, layers + 1):
        start, stop = segment_bounds(layers, segments)[0]
        if least is None or segments + stop - start < least:
            best, least = segments, segments + stop - start
    return best


class Segment(torch.autograd.Function):
    @staticmethod
    def forward(ctx, layers, x, _):
        ctx.layers, ctx.random_state = layers, torch.get_rng_state()
        ctx.autocast = torch.is_autocast_enabled(x.device.type)
        ctx.dtype = torch.get_autocast_dtype(x.device.type)
        ctx.save_for_backward(x)
        for layer in layers:
            x = layer(x)
        return x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        x = x.detach().requires_grad_(ctx.needs_input_grad[1])
        after = torch.get_rng_state()
        torch.set_rng_state(ctx.random_state)
        autocast = torch.autocast(grad.device.type, ctx.dtype, enabled=ctx.autocast)
        with torch.enable_grad(), autocast:
            y = x
            for layer in ctx.layers:
                y = layer(y)
        torch.set_rng_state(after)
        if y.requires_grad:
            torch.autograd.backward(y, grad)
        return None, x.grad, None


def checkpointed_forward(layers, x, segments):
    bounds = segment_bounds(len(layers), segments)
    # Without an input that requires a gradient, backward would never be called.
    recorded = torch.zeros((), requires_grad=True)
    for start, stop in bounds:
        x = Segment.apply(layers[start:stop], x, recorded)
    return x


def chunked_cross_entropy(x, weight, targets, chunk_size):
    dtype = torch.float64 if x.dtype == torch.float64 else torch.float32
    tokens, w = len(x), weight.to(dtype).contiguous()
    losses, grad_x, grad_weight = [], torch.zeros(x.shape, dtype=dtype), torch.zeros_like(w)
    for i in range(tokens):  # a row is never more than a chunk
        row, target = x[i].to(dtype), int(targets[i])
        logits = torch.mv(w, row)
        logits -= logits.max()
        at_target = float(logits[target])
        logits.exp_()
        total = logits.sum()
        losses.append(float(total.log()) - at_target)
        logits /= total
        logits[target] -= 1
        grad_x[i] = torch.mv(w.T, logits) / tokens
        grad_weight.addr_(logits, row, alpha=1 / tokens)
    loss = torch.tensor(sum(losses) / tokens, dtype=dtype)
    return loss, grad_x.to(x.dtype), grad_weight.to(weight.dtype)
