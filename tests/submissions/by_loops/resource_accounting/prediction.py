"""A step, as a ledger: what comes and what goes, one entry after the other."""

import math


def _shapes(vocab, context, d_model, d_ff, tied):
    """Shapes of the parameters outside the blocks, and of one block."""
    outside = [(vocab, d_model), (context, d_model), (d_model,), (d_model,)]
    if not tied:
        outside.append((vocab, d_model))
    block = [(d_model,)] * 4
    for rows, columns in [
        (3 * d_model, d_model),
        (d_model, d_model),
        (d_ff, d_model),
        (d_model, d_ff),
    ]:
        block += [(rows, columns), (rows,)]
    return outside, block


def predict_step(
    *, vocab, context, layers, d_model, heads, d_ff, tied, batch, peak_flops, bandwidth
):
    for size in (vocab, context, layers, d_model, heads, d_ff, batch):
        if size < 1:
            raise ValueError(f"a size of {size}")
    if d_model % heads != 0:
        raise ValueError("heads of different widths")
    for rate in (peak_flops, bandwidth):
        if not rate > 0:
            raise ValueError(f"a rate of {rate}")
    outside, block = _shapes(vocab, context, d_model, d_ff, tied)
    in_block = sum(math.prod(shape) for shape in block)
    parameters = sum(math.prod(shape) for shape in outside) + layers * in_block

    n, width = batch * context, d_model // heads
    forward = 2 * n * d_model * vocab
    for rows, columns in (shape for shape in block if len(shape) == 2):
        forward += layers * 2 * n * rows * columns
    for _ in ("scores", "weighted values"):
        forward += layers * batch * heads * 2 * context * width * context
    flops = 0
    for _ in ("forward", "gradients of the left factors", "gradients of the right factors"):
        flops += forward

    x, hidden, weights, logits = n * d_model, n * d_ff, n * heads * context, n * vocab
    a_layer = sum([x, x, 3 * x, weights, x, x, x, hidden, hidden, 2 * n, 2 * n])
    held = 3 * parameters + layers * a_layer
    highest = held + 2 * x + 2 * n + 3 * logits  # the loss
    held += x + logits  # the norm's output goes, its gradient and the logits' have come
    highest = max(highest, held + x + x + vocab * d_model)
    held += vocab * d_model - logits  # now x is the gradient of the residual
    highest = max(highest, held + hidden + d_ff * d_model)
    held += 2 * d_ff * d_model - 2 * hidden  # the feed-forward is done
    held -= 4 * x + 2 * n  # its norms, the heads, v
    held += x + d_model**2  # v's gradient, and that of `out`
    highest = max(highest, held + 2 * weights)
    last = 4 * parameters
    if tied:
        last += vocab * d_model + vocab * d_model
    highest = max(highest, last, 4 * parameters + parameters)
    return {
        "parameters": parameters,
        "flops": flops,
        "peak_bytes": highest * 4 + context * context + 16 * n,
        "seconds": max(flops / peak_flops, 28 * parameters / bandwidth),
    }
