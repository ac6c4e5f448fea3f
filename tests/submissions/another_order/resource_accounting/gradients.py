"""Gradients: flattened rows, transposed products, a recursive backward pass."""

import math

import torch


def _flat(t):
    return t.reshape(math.prod(t.shape[:-1]), t.shape[-1])


def linear_backward(x, w, grad_y):
    rows, grads = _flat(x), _flat(grad_y)
    ones = torch.ones(1, len(grads), dtype=grads.dtype)
    return (w @ grads.T).T.reshape(x.shape), (grads.T @ rows).T, (ones @ grads)[0]


def mlp_backward(x, weights, target):
    if x.shape[:-1] != target.shape[:-1]:
        raise ValueError("x and target differ in their rows")
    loss, _, grads = _through(_flat(x), tuple(weights), _flat(target))
    return loss, grads


def _through(h, weights, target):
    """(loss, gradient of h, gradients of the weights) of the remaining layers."""
    if not weights:
        raise ValueError("nothing to train")
    w, *rest = weights
    if h.size(1) != w.size(0):
        raise ValueError("a layer does not take what it gets")
    y = torch.mm(h, w)
    if rest:
        loss, grad, grads = _through(torch.clamp(y, min=0), rest, target)
        grad = torch.where(y > 0, grad, torch.zeros_like(grad))
    else:
        if y.size(1) != target.size(1):
            raise ValueError("the target is of another width")
        grad, grads = y - target, ()
        loss = torch.linalg.vector_norm(grad.double()).item() ** 2 / 2
    grad_h, grad_w, _ = linear_backward(h, w, grad)
    return loss, grad_h, (grad_w, *grads)
