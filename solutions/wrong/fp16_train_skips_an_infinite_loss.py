"""fp16_train: skips the step when the loss is not finite, though its gradients may be

Breaks: 4. if any element of these gradients is inf or nan, the step is skipped
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
    if not 0 < init_scale < math.inf or growth_interval < 1 or not 1 < growth_factor < math.inf:
        raise ValueError("a setting is out of range")
    if not 0 < backoff_factor < 1 or (max_norm is not None and not max_norm > 0):
        raise ValueError("a setting is out of range")
    scale, count, losses, scales = float(init_scale), 0, [], []
    for inputs, targets in batches:
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(inputs.device.type, dtype=torch.float16):
            loss = loss_fn(model(inputs), targets)
        losses.append(loss.item())
        scales.append(scale)
        (loss.float() * scale).backward()
        params = [
            p for group in optimizer.param_groups for p in group["params"] if p.grad is not None
        ]
        for p in params:
            p.grad.div_(scale)
        if not math.isfinite(losses[-1]) or not all(torch.isfinite(p.grad).all() for p in params):
            scale, count = scale * backoff_factor, 0
            continue
        if max_norm is not None:
            torch.nn.utils.clip_grad_norm_(params, max_norm)
        optimizer.step()
        count += 1
        if count == growth_interval:
            scale, count = scale * growth_factor, 0
    return losses, scales
