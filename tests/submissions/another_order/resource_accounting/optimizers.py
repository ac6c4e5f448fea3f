"""Correct, and written with other formulas and other calls than the reference."""

from itertools import chain

import torch


@torch.no_grad()
def sgd_step(
    params, grads, velocities, *, lr, momentum=0.0, nesterov=False, weight_decay=0.0
):
    refuse(not lr >= 0, not weight_decay >= 0, not 0.0 <= momentum < 1.0, nesterov and not momentum)
    refuse_shapes(params, grads, velocities)
    pulled = [torch.lerp(g, g + p, weight_decay) for p, g in zip(params, grads)]
    for v, g in zip(velocities, pulled):
        v.copy_(g + momentum * v)
    for p, v, g in zip(params, velocities, pulled):
        # Look ahead by the next velocity, assuming the same gradient.
        p -= lr * torch.add(g, v, alpha=momentum) if nesterov else lr * v


@torch.no_grad()
def adagrad_step(params, grads, sums, *, lr, eps):
    refuse(not lr >= 0, not eps >= 0)
    refuse_shapes(params, grads, sums)
    for p, g, s in zip(params, grads, sums):
        s.addcmul_(g, g)
        p.copy_(p - g * (lr / (s**0.5 + eps)))


@torch.no_grad()
def rmsprop_step(params, grads, square_avgs, *, lr, alpha, eps):
    refuse(not lr >= 0, not eps >= 0, not 0.0 <= alpha < 1.0)
    refuse_shapes(params, grads, square_avgs)
    for p, g, v in zip(params, grads, square_avgs):
        v += (1 - alpha) * (g.square() - v)
        p -= g.div(v.sqrt() + eps).mul(lr)


@torch.no_grad()
def adam_step(
    params, grads, exp_avgs, exp_avg_sqs, *, step, lr, betas, eps, weight_decay=0.0
):
    refuse_adam(step, lr, betas, eps, weight_decay)
    refuse_shapes(params, grads, exp_avgs, exp_avg_sqs)
    pulled = [g + weight_decay * p for p, g in zip(params, grads)]
    for p, d in zip(params, directions(pulled, exp_avgs, exp_avg_sqs, step, betas, eps)):
        p.sub_(d, alpha=lr)


@torch.no_grad()
def adamw_step(
    params, grads, exp_avgs, exp_avg_sqs, *, step, lr, betas, eps, weight_decay
):
    refuse_adam(step, lr, betas, eps, weight_decay)
    refuse_shapes(params, grads, exp_avgs, exp_avg_sqs)
    for p, d in zip(params, directions(grads, exp_avgs, exp_avg_sqs, step, betas, eps)):
        p -= lr * (d + weight_decay * p)


def directions(grads, exp_avgs, exp_avg_sqs, step, betas, eps):
    """The new parameters, with the square root taken of the corrected average."""
    beta1, beta2 = betas
    for g, m, v in zip(grads, exp_avgs, exp_avg_sqs):
        m.mul_(beta1).add_(g, alpha=1 - beta1)
        v.lerp_(g * g, 1 - beta2)
        yield m / (1 - beta1**step) / ((v / (1 - beta2**step)).sqrt() + eps)


def refuse(*reasons):
    if any(reasons):
        raise ValueError("a setting is out of range")


def refuse_adam(step, lr, betas, eps, weight_decay):
    refuse(step < 1, *(not x >= 0 for x in (lr, eps, weight_decay)))
    refuse(*(not 0 <= beta < 1 for beta in betas))


def refuse_shapes(params, *others):
    refuse(any([t.shape for t in ts] != [p.shape for p in params] for ts in others))


class AdamW(torch.optim.Optimizer):
    def __init__(self, params, **settings):
        defaults = {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 1e-2}
        defaults.update(settings)
        refuse_adam(step=1, **defaults)
        super().__init__(params, defaults)

    def add_param_group(self, param_group):
        group = {name: param_group.get(name, x) for name, x in self.defaults.items()}
        refuse_adam(step=1, **group)
        super().add_param_group(param_group)

    @torch.no_grad()
    def step(self, closure=None):
        loss = torch.enable_grad()(closure)() if closure else None
        pairs = chain.from_iterable(
            ((group, p) for p in group["params"]) for group in self.param_groups
        )
        for group, p in pairs:
            if p.grad is None:
                continue
            if len(self.state[p]) == 0:
                self.state[p].update(
                    step=0, exp_avg=torch.zeros_like(p), exp_avg_sq=torch.zeros_like(p)
                )
            state = self.state[p]
            state["step"] = int(state["step"]) + 1
            adamw_step(
                (p,),
                (p.grad,),
                (state["exp_avg"],),
                (state["exp_avg_sq"],),
                step=state["step"],
                lr=group["lr"],
                betas=group["betas"],
                eps=group["eps"],
                weight_decay=group["weight_decay"],
            )
        return loss


@torch.no_grad()
def muon_step(params, grads, momentum_buffers, *, lr, momentum, weight_decay):
    refuse(not lr >= 0, not weight_decay >= 0, not 0.0 <= momentum < 1.0)
    refuse_shapes(params, grads, momentum_buffers)
    refuse(*(p.ndim != 2 for p in params))
    for p, g, b in zip(params, grads, momentum_buffers):
        b.mul_(momentum).add_(g, alpha=1 - momentum)
        u = g + momentum * (b - g)
        x = u / max(torch.linalg.matrix_norm(u).item(), 1e-7)
        is_tall = p.shape[0] > p.shape[1]
        for _ in range(5):
            # All factors are polynomials of one Gram matrix, on the side where it is smaller.
            gram = x.mT @ x if is_tall else x @ x.mT
            factor = 3.4445 * torch.eye(len(gram), dtype=x.dtype)
            factor += gram @ (2.0315 * gram) - 4.7750 * gram
            x = x @ factor if is_tall else factor @ x
        scale = (p.shape[0] / p.shape[1]) ** 0.5 if is_tall else 1.0
        p -= lr * (scale * x + weight_decay * p)


def muon_flops(m, n, steps=5):
    if m < n:
        m, n = n, m
    return (4 * m + 2 * n) * n**2 * steps
