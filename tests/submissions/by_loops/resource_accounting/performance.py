"""Correct, and written element by element."""

import math

import torch


def matmul_chain(x, weights):
    for weight in weights:
        rows = []
        for row in x:
            product = sum(number * weight[i] for i, number in enumerate(row))
            product = torch.where(product < 0, 0.8 * product, product)
            rows.append(product / (sum(product * product) / len(product)) ** 0.5)
        x = torch.stack(rows)
    return x


def causal_attention(q, k, v):
    out = torch.empty_like(v)
    for i in range(q.shape[2]):
        scores = (q[:, :, i : i + 1] * k[:, :, : i + 1]).sum(-1) / math.sqrt(q.shape[3])
        weights = (scores - scores.amax(-1, keepdim=True)).exp()
        weights = weights / weights.sum(-1, keepdim=True)
        out[:, :, i] = (weights[..., None] * v[:, :, : i + 1]).sum(2)
    return out


def training_step(model, optimizer, tokens):
    for parameter in model.parameters():
        parameter.grad = None
    logits = model(tokens)[:, :-1]
    losses = [
        logits[b, t].logsumexp(0) - logits[b, t, tokens[b, t + 1]]
        for b in range(logits.shape[0])
        for t in range(logits.shape[1])
    ]
    (sum(losses) / len(losses)).backward()
    optimizer.step()


def adamw_update(params, grads, exp_avgs, exp_avg_sqs, *, step, lr, betas, eps, weight_decay):
    for p, g, m, v in zip(params, grads, exp_avgs, exp_avg_sqs):
        m.copy_(betas[0] * m + (1 - betas[0]) * g)
        v.copy_(betas[1] * v + (1 - betas[1]) * g**2)
        right_m = m / (1 - betas[0] ** step)
        right_v = v / (1 - betas[1] ** step)
        p.copy_(p - lr * weight_decay * p - lr * right_m / (right_v.sqrt() + eps))
