"""Figures for the chapters on optimizers and on mixed precision."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse

from assignment.figures.look import (
    BLUE,
    GREEN,
    INK,
    LINE,
    ORANGE,
    PURPLE,
    RED,
    SKY,
    SOFT,
    canvas,
    shade,
)

_CURVATURE = (1.0, 20.0)  # of the valley, along and across


def loss_scale(ra: Any) -> Figure:
    """The loss scale of `train_fp16` on one weight, below and above the gradient's limit."""
    torch.manual_seed(0)
    model = torch.nn.Linear(1, 1, bias=False)
    with torch.no_grad():
        model.weight.fill_(1)
    weights = []

    def loss(output: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        weights.append(model.weight.item())
        return ((output - target) ** 2).mean()

    batch = (torch.ones(1, 1), torch.zeros(1, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.025)
    _, scales = ra.precision.train_fp16(
        model, optimizer, [batch] * 60, loss, init_scale=2.0**16, growth_interval=6
    )
    numbers = np.arange(1, len(scales) + 1)
    limits = [torch.finfo(torch.float16).max / (2 * abs(w)) for w in weights]
    skipped = [scale > limit for scale, limit in zip(scales, limits, strict=True)]
    figure, axes = canvas(2.7)
    axes.plot(numbers, limits, color=SOFT, linestyle=(0, (4, 2)), linewidth=1.2)
    axes.step(numbers, scales, where="mid", color=BLUE)
    axes.plot(
        numbers[skipped],
        np.array(scales)[skipped],
        linestyle="none",
        marker="X",
        markersize=8,
        color=RED,
        markeredgecolor="white",
    )
    axes.set_yscale("log", base=2)
    axes.set(xlabel="batch", ylabel="loss scale S", xlim=(0, 61))
    axes.text(44, 2.0**18.35, "the gradient is inf above this line", ha="right", color=SOFT)
    axes.text(1, 2.0**16.75, "inf: the step is skipped, and S halves", color=RED)
    axes.text(9.5, 2.0**14.4, "6 good steps in a row: S doubles", color=BLUE)
    return figure


def valley_paths(ra: Any) -> dict[str, np.ndarray[tuple[int, int], np.dtype[np.float64]]]:
    """The paths of six optimizers in a valley that is twenty times steeper in one direction.

    They begin at (-4, 1); the minimum is at (0, 0). A row for the start, and one for each step.
    """
    curvature, count = torch.tensor(_CURVATURE, dtype=torch.float64), 60
    sgd, adam = ra.optimizers.sgd_step, {"betas": (0.9, 0.999), "eps": 1e-8}
    settings: dict[str, tuple[Callable[..., None], dict[str, Any]]] = {
        "SGD": (sgd, {"lr": 0.09}),
        "momentum": (sgd, {"lr": 0.02, "momentum": 0.9}),
        "Nesterov": (sgd, {"lr": 0.02, "momentum": 0.9, "nesterov": True}),
        "AdaGrad": (ra.optimizers.adagrad_step, {"lr": 0.6, "eps": 1e-8}),
        "RMSProp": (ra.optimizers.rmsprop_step, {"lr": 0.15, "alpha": 0.9, "eps": 1e-8}),
        "Adam": (ra.optimizers.adam_step, {"lr": 0.25, **adam}),
    }
    paths = {}
    for name, (step, options) in settings.items():
        p = torch.tensor([-4.0, 1.0], dtype=torch.float64)
        state = [[torch.zeros_like(p)] for _ in range(2 if name == "Adam" else 1)]
        path = [p.tolist()]
        for t in range(1, count + 1):
            counted = {"step": t} if name == "Adam" else {}
            step([p], [curvature * p], *state, **options, **counted)
            path.append(p.tolist())
        paths[name] = np.array(path)
    return paths


def optimizer_paths(ra: Any) -> Figure:
    """Six optimizers in a valley."""
    figure, rows = canvas(3.7, ncols=3, nrows=2, sharex=True, sharey=True)
    colours = (BLUE, RED, SKY, GREEN, ORANGE, PURPLE)
    for axes, (name, line), colour in zip(
        rows.flat, valley_paths(ra).items(), colours, strict=True
    ):
        for loss in (0.1, 0.7, 2, 4, 7, 11, 16, 22):
            width, height = (2 * math.sqrt(2 * loss / c) for c in _CURVATURE)
            axes.add_patch(
                Ellipse((0, 0), width, height, fill=False, edgecolor=LINE, linewidth=0.7)
            )
        axes.plot(*line.T, color=colour, linewidth=1.2, marker="o", markersize=2.6)
        axes.plot(*line[0], marker="o", markersize=5, color=INK)
        axes.plot(0, 0, marker="+", markersize=9, color=INK)
        axes.set_title(name, color=shade(colour))
        axes.set(xlim=(-4.6, 1.6), ylim=(-1.3, 1.3), xticks=[-4, -2, 0], yticks=[-1, 0, 1])
    return figure
