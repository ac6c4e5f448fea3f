"""Figures for the chapters on sums in low precision, on data and on optimizers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse

from grader.authoring.figures.look import (
    BLUE,
    GREEN,
    INK,
    LINE,
    ORANGE,
    PALE,
    PURPLE,
    RED,
    SKY,
    SOFT,
    canvas,
    cell,
    drawing,
    end_label,
    shade,
    tint,
)
from solutions.resource_accounting import data, floats, initialization, optimizers, precision

_CURVATURE = (1.0, 20.0)  # of the valley, along and across


def accumulate() -> Figure:
    """0.01 added 1000 times, by the dtypes of the term and of the sum."""
    term, count = 0.01, 1000
    pairs = {
        # name: dtypes of the term and of the sum, colour, position of the label
        "fp32": (torch.float32, torch.float32, BLUE, 7),
        "fp16,\nsummed in fp32": (torch.float16, torch.float32, GREEN, 34),
        "fp16": (torch.float16, torch.float16, ORANGE, -11),
        "bf16": (torch.bfloat16, torch.bfloat16, RED, 0),
    }
    figure, (left, right) = canvas(2.7, ncols=2, width_ratios=(1, 1.1))
    steps = np.arange(count + 1)
    for name, (of_term, of_sum, colour, up) in pairs.items():
        sums = _sums(term, count, of_term, of_sum)
        end = floats.accumulate(term, count, of_term, of_sum)
        if name in ("fp32", "bf16"):
            left.plot(steps, sums, color=colour)
            end_label(left, count, end, f"{name}:\n{end:.4f}", colour)
        if name != "bf16":
            error = sums - term * steps
            right.plot(steps, error, color=colour)
            end_label(right, count, error[-1], f"{name}: {end:.4f}", colour, shift=(5, up))
    left.set(title="The sum", xlim=(0, count), ylim=(0, 10.5))
    right.set(title="The sum's error", xlim=(0, count))
    right.axhline(0, color=LINE, linewidth=0.8, zorder=0)
    for axes in (left, right):
        axes.set_xlabel("additions of 0.01")
        axes.set_xticks([0, 250, 500, 750, 1000])
    return figure


def _sums(
    term: float, count: int, of_term: torch.dtype, of_sum: torch.dtype
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    total, value = torch.zeros((), dtype=of_sum), torch.tensor(term, dtype=of_term)
    sums = [0.0]
    for _ in range(count):
        total = (total + value.to(of_sum)).to(of_sum)
        sums.append(total.item())
    return np.array(sums)


def batches() -> Figure:
    """Three windows of a short corpus, drawn by the reference, and their targets."""
    tokens, size, context = np.arange(16), 3, 4
    torch.manual_seed(3)
    xs, ys = data.get_batch(tokens, size, context)
    figure, axes = drawing(3.3, 21.2)
    left = 4.6
    last = len(tokens) - context - 1
    axes.text(0.2, 1.4, "memory map", va="center")
    for token in tokens:
        may_start = token <= last
        cell(axes, left + token, 0.9, f"$t_{{{token}}}$", fill=PALE if may_start else "white")
    axes.annotate(
        "",
        (left, 2.4),
        (left + last + 1, 2.4),
        arrowprops={"arrowstyle": "|-|, widthA=.25, widthB=.25", "color": SOFT, "linewidth": 0.8},
    )
    axes.text(
        left + (last + 1) / 2,
        3.0,
        f"a window may start here: 0 … T − C − 1 = {last}",
        color=SOFT,
        fontsize=8,
        ha="center",
        va="center",
    )
    top = 4.0
    for row, (x, y, colour) in enumerate(
        zip(xs.tolist(), ys.tolist(), (BLUE, GREEN, ORANGE), strict=True)
    ):
        axes.text(0.2, top + 1, f"row {row}, start {x[0]}", va="center", color=INK)
        for name, window, line in (("x", x, 0), ("y", y, 1)):
            axes.text(left + window[0] - 0.35, top + line + 0.5, name, va="center", ha="right")
            for token in window:
                cell(
                    axes,
                    left + token,
                    top + line,
                    f"$t_{{{token}}}$",
                    fill=tint(colour, 0.45 if name == "x" else 0.2),
                )
        top += 2.4
    return figure


def loss_scale() -> Figure:
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
    _, scales = precision.train_fp16(
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


def valley_paths() -> dict[str, np.ndarray[tuple[int, int], np.dtype[np.float64]]]:
    """60 steps of six optimizers in a valley that is twenty times steeper in one direction.

    From (-4, 1); the minimum is at (0, 0). A row for each step, and one for the start.
    """
    curvature, count = torch.tensor(_CURVATURE, dtype=torch.float64), 60
    sgd, adam = optimizers.sgd_step, {"betas": (0.9, 0.999), "eps": 1e-8}
    settings: dict[str, tuple[Callable[..., None], dict[str, Any]]] = {
        "SGD": (sgd, {"lr": 0.09}),
        "momentum": (sgd, {"lr": 0.02, "momentum": 0.9}),
        "Nesterov": (sgd, {"lr": 0.02, "momentum": 0.9, "nesterov": True}),
        "AdaGrad": (optimizers.adagrad_step, {"lr": 0.6, "eps": 1e-8}),
        "RMSProp": (optimizers.rmsprop_step, {"lr": 0.15, "alpha": 0.9, "eps": 1e-8}),
        "Adam": (optimizers.adam_step, {"lr": 0.25, **adam}),
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


def optimizer_paths() -> Figure:
    """Six optimizers in a valley."""
    figure, rows = canvas(3.7, ncols=3, nrows=2, sharex=True, sharey=True)
    colours = (BLUE, RED, SKY, GREEN, ORANGE, PURPLE)
    for axes, (name, line), colour in zip(rows.flat, valley_paths().items(), colours, strict=True):
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


def init_depth() -> Figure:
    """How large activations are after each ReLU layer, by initialization."""
    width, depth, rows = 256, 30, 256
    torch.manual_seed(0)
    start = torch.randn(rows, width)
    weights: dict[str, tuple[Callable[[int], torch.Tensor], str]] = {
        "normal, std 0.01": (lambda seed: 0.01 * _normal(width, seed), SKY),
        "Xavier": (lambda seed: initialization.xavier_uniform(width, width, seed), ORANGE),
        "Kaiming": (lambda seed: initialization.kaiming_normal(width, width, seed), GREEN),
        "normal, std 1": (lambda seed: _normal(width, seed), RED),
    }
    figure, axes = canvas(2.7)
    for name, (draw, colour) in weights.items():
        x, sizes = start.double(), [1.0]
        for layer in range(depth):
            x = torch.relu(x @ draw(layer).double())
            sizes.append(float(x.square().mean().sqrt()))
        axes.plot(range(depth + 1), sizes, color=colour)
        end_label(axes, depth, sizes[-1], name, colour)
    axes.set_yscale("log")
    axes.set_yticks([10.0**power for power in range(-30, 31, 10)])
    axes.minorticks_off()
    axes.set(xlabel="layer", ylabel="root mean square of activations", xlim=(0, depth))
    return figure


def _normal(width: int, seed: int) -> torch.Tensor:
    return torch.randn(width, width, generator=torch.Generator().manual_seed(seed))
