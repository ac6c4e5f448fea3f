"""fp16_train: skips the step when the loss is nan, though its gradients may be finite

Breaks: if any element of these gradients is inf or nan
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
    if not 0 < init_scale < math.inf or not 1 < growth_factor < math.inf:
        raise ValueError("init_scale or growth_factor is out of range")
    if growth_interval < 1 or not 0 < backoff_factor < 1:
        raise ValueError("growth_interval or backoff_factor is out of range")
    if max_norm is not None and not max_norm > 0:
        raise ValueError("max_norm is out of range")
    losses, scales, scale, good_steps = [], [], init_scale, 0
    params = [p for group in optimizer.param_groups for p in group["params"]]
    for inputs, targets in batches:
        optimizer.zero_grad()
        with torch.autocast(inputs.device.type, dtype=torch.float16):
            loss = loss_fn(model(inputs), targets)
        losses.append(loss.item())
        scales.append(scale)
        (loss * scale).backward()
        grads = [p.grad for p in params if p.grad is not None]
        for grad in grads:
            grad.div_(scale)
        if loss.isnan() or not all(bool(grad.isfinite().all()) for grad in grads):
            scale, good_steps = scale * backoff_factor, 0
            continue
        if max_norm is not None:
            torch.nn.utils.clip_grad_norm_(params, max_norm)
        optimizer.step()
        good_steps += 1
        if good_steps == growth_interval:
            scale, good_steps = scale * growth_factor, 0
    return losses, scales
