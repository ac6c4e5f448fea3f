"""Training, with torch's clip_grad_norm_ as the model for clipping."""

import math

import torch


def train(model, optimizer, batches, loss_fn):
    model.train(True)

    def steps():
        for inputs, targets in batches:
            model.zero_grad(set_to_none=False)
            loss = loss_fn(model(inputs), targets)
            torch.autograd.backward(loss)
            optimizer.step()
            yield loss.detach().item()

    return list(steps())


def accumulate_gradients(model, inputs, targets, loss_fn, micro_batch):
    rows = inputs.size(0)
    if rows < 1 or micro_batch < 1 or targets.size(0) != rows:
        raise ValueError("no batch")
    sums = []
    for i in range((rows + micro_batch - 1) // micro_batch):
        part = slice(i * micro_batch, (i + 1) * micro_batch)
        mean = loss_fn(model(inputs[part]), targets[part])
        count = inputs[part].size(0)
        mean.backward(torch.tensor(count / rows, dtype=mean.dtype))
        sums.append(mean.item() * count)
    return math.fsum(sums) / rows


def clip_grad_norm(parameters, max_norm):
    if max_norm <= 0 or math.isnan(max_norm):
        raise ValueError("max_norm must be positive")
    grads = [p.grad for p in parameters if p.grad is not None]
    norms = [torch.linalg.vector_norm(grad.double()).item() for grad in grads]
    norm = math.hypot(*norms) if norms else 0.0
    if not math.isfinite(norm):
        raise RuntimeError("not finite")
    factor = min(max_norm / (norm + 1e-6), 1.0)
    if norm > max_norm:
        for grad in grads:
            grad.copy_(grad.double() * factor)
    return norm
