"""Mixed precision, one parameter and one number at a time."""

import math

import torch


def _parameters(optimizer):
    found = []
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            if parameter.grad is not None:
                found.append(parameter)
    return found


def _forward(model, loss_fn, inputs, targets, dtype):
    with torch.autocast(device_type=inputs.device.type, dtype=dtype):
        outputs = model(inputs)
        return loss_fn(outputs, targets)


def train_bf16(model, optimizer, batches, loss_fn):
    losses = []
    for inputs, targets in batches:
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                parameter.grad = None
        loss = _forward(model, loss_fn, inputs, targets, torch.bfloat16)
        loss.backward()
        optimizer.step()
        losses.append(loss.tolist())
    return losses


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
        raise ValueError("the scale must be positive, and the interval at least 1")
    if max_norm is not None and not max_norm > 0:
        raise ValueError("the norm must be positive")
    if not 1 < growth_factor < math.inf or not 0 < backoff_factor < 1:
        raise ValueError("the scale must grow by its growth factor and fall by its backoff factor")
    losses = []
    scales = []
    scale = init_scale
    good = 0
    for inputs, targets in batches:
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                parameter.grad = None
        loss = _forward(model, loss_fn, inputs, targets, torch.float16)
        losses.append(loss.tolist())
        scales.append(float(scale))
        (loss * scale).backward()
        finite = True
        squares = 0.0
        for parameter in _parameters(optimizer):
            parameter.grad /= scale
            for number in parameter.grad.flatten().tolist():
                if not math.isfinite(number):
                    finite = False
                squares += number * number
        if not finite:
            scale *= backoff_factor
            good = 0
            continue
        norm = math.sqrt(squares)
        if max_norm is not None and norm > max_norm:
            for parameter in _parameters(optimizer):
                parameter.grad *= max_norm / norm
        optimizer.step()
        good += 1
        if good >= growth_interval:
            scale *= growth_factor
            good = 0
    return losses, scales
