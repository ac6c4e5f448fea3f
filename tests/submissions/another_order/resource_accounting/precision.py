"""Mixed precision, by torch's own GradScaler."""

import torch


def _trained(optimizer):
    return [p for group in optimizer.param_groups for p in group["params"]]


def train_bf16(model, optimizer, batches, loss_fn):
    def step(inputs, targets):
        with torch.autocast(inputs.device.type, torch.bfloat16, cache_enabled=False):
            loss = loss_fn(model(inputs), targets)
        parameters = _trained(optimizer)
        grads = torch.autograd.grad(loss, parameters, allow_unused=True)
        for parameter, grad in zip(parameters, grads):
            parameter.grad = grad
        optimizer.step()
        return loss.item()

    return [step(*batch) for batch in batches]


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
    in_range = init_scale > 0 and growth_interval >= 1 and (max_norm is None or max_norm > 0)
    is_finite = max(init_scale, growth_factor) < float("inf")
    if not (in_range and is_finite and growth_factor > 1 and 0 < backoff_factor < 1):
        raise ValueError("a setting is out of range")
    scaler = None
    pairs = []
    for inputs, targets in batches:
        kind = inputs.device.type
        if scaler is None:
            scaler = torch.amp.GradScaler(
                kind,
                init_scale=init_scale,
                growth_interval=growth_interval,
                growth_factor=growth_factor,
                backoff_factor=backoff_factor,
            )
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(kind, torch.float16):
            outputs = model(inputs)
            loss = loss_fn(outputs, targets)
        pairs.append((loss.item(), scaler.get_scale()))
        scaler.scale(loss).backward()
        if max_norm is not None:
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(_trained(optimizer), max_norm)
        scaler.step(optimizer)
        scaler.update()
    return [loss for loss, _ in pairs], [scale for _, scale in pairs]
