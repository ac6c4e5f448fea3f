"""fp16_train: unscales the gradients of model.parameters(), and not of others that the optimizer holds, such as the loss's

Breaks: the optimizer may hold other parameters too, such as the loss's

Breaks: the gradients of the optimizer's parameters are divided by the scale, once; None is skipped
"""

import math

import torch


def train_fp16(
    model,
    optimizer,
    batches,
    loss_fn,
    *,
    init_scale,
    growth_interval,
    growth_factor=2.0,
    backoff_factor=0.5,
    max_norm=None,
):
    if not (0 < init_scale < math.inf) or not (1 < growth_factor < math.inf):
        raise ValueError("init_scale or growth_factor out of range")
    if growth_interval < 1 or not 0 < backoff_factor < 1:
        raise ValueError("growth_interval or backoff_factor out of range")
    if max_norm is not None and not max_norm > 0:
        raise ValueError("max_norm out of range")
    losses, scales, scale, count = [], [], init_scale, 0
    optimizer.zero_grad()
    for inputs, targets in batches:
        optimizer.zero_grad()
        with torch.autocast(inputs.device.type, dtype=torch.float16):
            loss = loss_fn(model(inputs), targets)
        (loss * scale).backward()
        losses.append(loss.item())
        scales.append(scale)
        finite = True
        for p in model.parameters():
            if p.grad is not None:
                p.grad.div_(scale)
                finite = finite and bool(torch.isfinite(p.grad).all())
        if not finite:
            scale, count = scale * backoff_factor, 0
            continue
        if max_norm is not None:
            torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        optimizer.step()
        count += 1
        if count == growth_interval:
            scale, count = scale * growth_factor, 0
    return losses, scales
