"""Gradients, in loops over plain numbers."""

import itertools
import math

import torch


def _rows(t):
    """The rows of a tensor as lists, with any leading axes."""
    return [t[at].tolist() for at in itertools.product(*map(range, t.shape[:-1]))]


def _times(rows, w, d_out):
    return [[sum(r[i] * w[i][o] for i in range(len(r))) for o in range(d_out)] for r in rows]


def _weight_gradient(rows, grads, d_in, d_out):
    found = [[0.0] * d_out for _ in range(d_in)]
    for row, grad in zip(rows, grads, strict=True):
        for i in range(d_in):
            for o in range(d_out):
                found[i][o] += row[i] * grad[o]
    return found


def _tensor(values, shape, dtype):
    return torch.tensor(values, dtype=torch.float64).reshape(shape).to(dtype)


def linear_backward(x, w, grad_y):
    d_in, d_out = w.shape
    rows, grads, weight = _rows(x), _rows(grad_y), w.tolist()
    grad_x = [[sum(weight[i][o] * g[o] for o in range(d_out)) for i in range(d_in)] for g in grads]
    grad_b = [0.0] * d_out
    for grad in grads:
        for o in range(d_out):
            grad_b[o] += grad[o]
    return (
        _tensor(grad_x, x.shape, x.dtype),
        _tensor(_weight_gradient(rows, grads, d_in, d_out), w.shape, w.dtype),
        _tensor(grad_b, (d_out,), w.dtype),
    )


def mlp_backward(x, weights, target):
    if len(weights) == 0:
        raise ValueError("no layers")
    widths = [x.shape[-1]]
    for w in weights:
        if w.shape[0] != widths[-1]:
            raise ValueError("the layers do not fit")
        widths.append(w.shape[1])
    if target.shape[-1] != widths[-1] or target.shape[:-1] != x.shape[:-1]:
        raise ValueError("the target does not fit")
    values = [w.tolist() for w in weights]
    before = [_rows(x)]
    after = [_rows(x)]
    for layer, w in enumerate(values):
        before.append(_times(after[-1], w, widths[layer + 1]))
        after.append([[max(v, 0.0) for v in row] for row in before[-1]])
    grads = [
        [y - t for y, t in zip(row, wanted, strict=True)]
        for row, wanted in zip(before[-1], _rows(target), strict=True)
    ]
    loss = math.fsum(e * e for row in grads for e in row) / 2
    found = [None] * len(weights)
    for layer in reversed(range(len(weights))):
        d_in, d_out = widths[layer], widths[layer + 1]
        found[layer] = _weight_gradient(after[layer], grads, d_in, d_out)
        new = []
        for row, grad in zip(before[layer], grads, strict=True):
            passed = [0.0] * d_in
            for i in range(d_in):
                if row[i] > 0:
                    for o in range(d_out):
                        passed[i] += grad[o] * values[layer][i][o]
            new.append(passed)
        grads = new
    return loss, [_tensor(f, w.shape, w.dtype) for f, w in zip(found, weights, strict=True)]
