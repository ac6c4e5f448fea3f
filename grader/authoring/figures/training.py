"""Figures for the chapters on sums in low precision, on data and on optimizers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from matplotlib.figure import Figure

from assignment.figures.look import (
    BLUE,
    GREEN,
    INK,
    LINE,
    ORANGE,
    PALE,
    RED,
    SKY,
    SOFT,
    canvas,
    end_label,
    tint,
)
from grader.authoring.figures.boxes import cell, drawing
from solutions.resource_accounting import data, floats, initialization


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
    """The sum after each number of additions, from 0 to `count`."""
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


def init_depth() -> Figure:
    """Root mean square of the activations after each ReLU layer, by initialization."""
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
