"""adamw_step: the bias corrections are kept above 1e-6 "to avoid division by zero", which is wrong for betas near 1

Breaks: p ← p − lr / (1 − β1ᵗ) · m / (√v / √(1 − β2ᵗ) + eps): eps is outside the square root, and is added after the bias correction
"""

import math

import torch


@torch.no_grad()
def adamw_step(params, grads, exp_avgs, exp_avg_sqs, *, step, lr, betas, eps, weight_decay) -> None:
    """One AdamW step, in place."""
    if not (len(params) == len(grads) == len(exp_avgs) == len(exp_avg_sqs)):
        raise ValueError("the lists differ in length")
    for i, (p, g, m, v) in enumerate(zip(params, grads, exp_avgs, exp_avg_sqs)):
        if not (p.shape == g.shape == m.shape == v.shape):
            raise ValueError(f"shapes differ at position {i}")
    beta1, beta2 = betas
    if step < 1:
        raise ValueError("step starts at 1")
    if not (lr >= 0 and eps >= 0 and weight_decay >= 0):
        raise ValueError("lr, eps and weight_decay must be 0 or more")
    if not (0 <= beta1 < 1 and 0 <= beta2 < 1):
        raise ValueError("betas must be in [0, 1)")

    # Bias correction, guarded against a vanishing denominator.
    guard = 1e-6
    bias_correction1 = max(1.0 - beta1**step, guard)
    bias_correction2 = max(1.0 - beta2**step, guard)
    step_size = lr / bias_correction1

    for p, g, m, v in zip(params, grads, exp_avgs, exp_avg_sqs):
        p.mul_(1 - lr * weight_decay)
        m.lerp_(g, 1 - beta1)
        v.mul_(beta2).addcmul_(g, g, value=1 - beta2)
        denominator = v.sqrt().div_(math.sqrt(bias_correction2)).add_(eps)
        p.addcdiv_(m, denominator, value=-step_size)
