"""Training, with gradients taken by autograd.grad and loops over elements."""

import math

import torch


def train(model, optimizer, batches, loss_fn):
    for module in model.modules():
        module.training = True
    losses = []
    for inputs, targets in batches:
        for group in optimizer.param_groups:
            for p in group["params"]:
                p.grad = None
        loss = loss_fn(model(inputs), targets)
        loss.backward()
        losses.append(float(loss.detach()))
        optimizer.step()
    return losses


def accumulate_gradients(model, inputs, targets, loss_fn, micro_batch):
    n = inputs.shape[0]
    if micro_batch < 1 or n == 0 or targets.shape[0] != n:
        raise ValueError("no batch")
    params = [p for p in model.parameters() if p.requires_grad]
    total = 0.0
    start = 0
    while start < n:
        stop = min(start + micro_batch, n)
        loss = loss_fn(model(inputs[start:stop]), targets[start:stop])
        weight = (stop - start) / n
        for p, g in zip(params, torch.autograd.grad(loss, params, allow_unused=True), strict=True):
            if g is None:
                continue
            if p.grad is None:
                p.grad = torch.zeros_like(p)
            p.grad += weight * g
        total += weight * float(loss.detach())
        start = stop
    return total


def clip_grad_norm(parameters, max_norm):
    if not max_norm > 0:
        raise ValueError("max_norm must be positive")
    grads = []
    squares = []
    for p in parameters:
        if p.grad is not None:
            grads.append(p.grad)
            squares += [value * value for value in p.grad.double().flatten().tolist()]
    norm = math.fsum(squares) ** 0.5
    if norm != norm or norm == math.inf:
        raise RuntimeError("not finite")
    if norm > max_norm:
        for grad in grads:
            grad *= max_norm / norm
    return norm
