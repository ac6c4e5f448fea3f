"""Activation checkpointing of all segments but the last, whose activations are needed first."""

import functools
import math

import torch
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
