"""Correct, and written with other formulas and other calls than the reference."""

import torch
from torch.optim.adamw import adamw


def matmul_chain(x, weights):
    for weight in weights:
        x = (weight.mT @ x.mT).mT
        x = 0.9 * x + 0.1 * x.abs()
        x = x * torch.rsqrt((x * x).mean(dim=1))[:, None]
    return x


def causal_attention(q, k, v):
    allowed = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool, device=q.device).tril()
    mask = torch.zeros_like(allowed, dtype=q.dtype).masked_fill(~allowed, float("-inf"))
    scores = torch.einsum("bhqd,bhkd->bhqk", q * q.shape[-1] ** -0.5, k) + mask
    return torch.einsum("bhqk,bhkd->bhqd", torch.log_softmax(scores, -1).exp(), v)


def training_step(model, optimizer, tokens):
    logits = model(tokens[:, :-1])
    loss = torch.nn.functional.cross_entropy(logits.transpose(1, 2), tokens[:, 1:])
    parameters = list(model.parameters())
    for parameter, gradient in zip(parameters, torch.autograd.grad(loss, parameters)):
        parameter.grad = gradient
    optimizer.step()


@torch.no_grad()
def adamw_update(params, grads, exp_avgs, exp_avg_sqs, *, step, lr, betas, eps, weight_decay):
    adamw(
        list(params), list(grads), list(exp_avgs), list(exp_avg_sqs), [],
        [torch.tensor(float(step - 1)) for _ in params],
        foreach=False, amsgrad=False, maximize=False,
        beta1=betas[0], beta2=betas[1], lr=lr, weight_decay=weight_decay, eps=eps,
    )
