"""rmsprop_step: takes requires_grad away from each parameter, and then gives it to all, also to those that had none"""

import torch


def adagrad_step(params, grads, sums, *, lr, eps):
    if not len(params) == len(grads) == len(sums):
        raise ValueError("the lists differ in length")
    for p, g, s in zip(params, grads, sums):
        if not p.shape == g.shape == s.shape:
            raise ValueError("shapes differ")
    if not lr >= 0 or not eps >= 0:
        raise ValueError("a setting is out of range")
    for p, g, s in zip(params, grads, sums):
        p.requires_grad_(False)
        s += g * g
        p -= lr * g / (s.sqrt() + eps)
        p.requires_grad_(True)
