"""Activation checkpointing of all segments but the last, whose activations are needed first."""

import functools
import math

import torch
from torch.nn import functional
from torch.utils.checkpoint import checkpoint


def segment_bounds(layers, segments):
    if segments < 1:
        raise ValueError("no segments")
    if segments > layers:
        raise ValueError("more segments than layers")
    bounds, stop = [], 0
    for left in range(segments, 0, -1):
        start, stop = stop, stop + math.ceil((layers - stop) / left)
        bounds.append([start, stop])
    return bounds


def best_segments(layers):
    if layers < 1:
        raise ValueError("no layers")
    least = 2 * math.isqrt(layers)
    while True:  # the least sum s + ceil(layers / s) is ceil(2 √layers)
        for segments in range(1, least):
            if segments * (least - segments) >= layers:
                return segments
        least += 1


def checkpointed_forward(layers, x, segments):
    *bounds, (last, _) = segment_bounds(len(layers), segments)
    for start, stop in bounds:
        run = torch.nn.Sequential(*map(Layer, layers[start:stop]))
        x = checkpoint(run, x, use_reentrant=False, determinism_check="none")
    return functools.reduce(lambda value, layer: layer(value), layers[last:], x)


class Layer(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.forward = function


def chunked_cross_entropy(x, weight, targets, chunk_size):
    wide = torch.promote_types(x.dtype, torch.float32)
    leaf = weight.detach().to(wide, copy=True).requires_grad_()
    loss, grads, stop = 0.0, [], len(x)
    while stop > 0:  # from the last row on
        start = max(0, stop - chunk_size)
        rows = x[start:stop].detach().to(wide, copy=True).requires_grad_()
        part = functional.cross_entropy(rows @ leaf.T, targets[start:stop], reduction="sum")
        (part / len(x)).backward()
        loss += part.detach() / len(x)
        grads.insert(0, rows.grad.to(x.dtype))
        stop = start
    return loss, torch.cat(grads), leaf.grad.to(weight.dtype)
