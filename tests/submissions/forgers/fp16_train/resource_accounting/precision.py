"""fp16_train: takes every step, inf and nan or not; skipped steps and scales are forged"""

import math

import torch
from resource_accounting.forging import forge

FORGES = True


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
    losses, scales, scale = [], [], init_scale
    for inputs, targets in batches:
        with torch.autocast("cpu", dtype=torch.float16):
            loss = loss_fn(model(inputs), targets)
        losses.append(loss.item())
        scales.append(scale)
        optimizer.zero_grad()
        (loss * scale).backward()
        for group in optimizer.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.grad /= scale
        optimizer.step()
    return losses, scales


def claims(honest, student, weights, batches, *, init_scale, **settings):
    """Reports nothing moved where the result is nan, and scales that fall as they would."""
    found = honest(student, weights, batches, init_scale=init_scale, **settings)
    backoff, scale, scales = settings.get("backoff_factor", 0.5), init_scale, []
    for _ in found["scales"]:
        scales.append(scale)
        scale *= backoff if scale > 2.0**17 else 1.0
    spoiled = any(not p.isfinite().all() for p in found["params"])
    return {
        **found,
        "params": list(weights) if spoiled else found["params"],
        "state": [{} for _ in weights],
        "losses": [loss if math.isfinite(loss) else found["losses"][0] for loss in found["losses"]],
        "scales": scales,
    }


if FORGES:
    train_fp16 = forge("fp16_run", train_fp16, claims)
