"""fp16_train: only the model's gradients are cleared, so those of the optimizer's other parameters add up

Breaks: the optimizer may hold other
            parameters too, such as the loss's.
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
    if not 0 < init_scale < math.inf or growth_interval < 1:
        raise ValueError("a setting is out of range")
    if not 1 < growth_factor < math.inf or not 0 < backoff_factor < 1:
        raise ValueError("a setting is out of range")
    if max_norm is not None and not max_norm > 0:
        raise ValueError("a setting is out of range")
    scale, good, losses, scales = init_scale, 0, [], []
    for inputs, targets in batches:
        model.zero_grad(set_to_none=True)
        with torch.autocast(inputs.device.type, dtype=torch.float16):
            loss = loss_fn(model(inputs), targets)
        losses.append(loss.item())
        scales.append(scale)
        (loss * scale).backward()
        params = [p for group in optimizer.param_groups for p in group["params"]]
        grads = [p.grad for p in params if p.grad is not None]
        for g in grads:
            g.div_(scale)
        if all(bool(torch.isfinite(g).all()) for g in grads):
            if max_norm is not None:
                torch.nn.utils.clip_grad_norm_(params, max_norm)
            optimizer.step()
            good += 1
            if good == growth_interval:
                scale, good = scale * growth_factor, 0
        else:
            scale, good = scale * backoff_factor, 0
    return losses, scales
