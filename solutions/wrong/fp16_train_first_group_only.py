"""fp16_train: unscales and checks only the parameters of the optimizer's first group

Breaks: 3. the gradients of the optimizer's parameters are divided by the scale, once; None is skipped

Costs: the weights that training leaves are what most checks are about.
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
    if not (init_scale > 0 and init_scale != math.inf):
        raise ValueError("init_scale must be positive and finite")
    if growth_interval < 1:
        raise ValueError("growth_interval must be positive")
    if not (growth_factor > 1 and growth_factor != math.inf):
        raise ValueError("growth_factor must be more than 1")
    if not (backoff_factor > 0 and backoff_factor < 1):
        raise ValueError("backoff_factor must be in (0, 1)")
    if max_norm is not None and not max_norm > 0:
        raise ValueError("max_norm must be positive")
    losses, scales = [], []
    scale, count = float(init_scale), 0
    for inputs, targets in batches:
        optimizer.zero_grad()
        with torch.autocast(inputs.device.type, dtype=torch.float16):
            loss = loss_fn(model(inputs), targets)
        losses.append(loss.item())
        scales.append(scale)
        (scale * loss).backward()
        params = [p for p in optimizer.param_groups[0]["params"] if p.grad is not None]
        with torch.no_grad():
            for p in params:
                p.grad.div_(scale)
            finite = all(p.grad.isfinite().all() for p in params)
            if finite and max_norm is not None and params:
                norm = torch.stack([p.grad.norm() for p in params]).norm().item()
                if norm > max_norm:
                    for p in params:
                        p.grad.mul_(max_norm / norm)
        if finite:
            optimizer.step()
            count += 1
            if count == growth_interval:
                scale *= growth_factor
                count = 0
        else:
            scale *= backoff_factor
            count = 0
    return losses, scales
