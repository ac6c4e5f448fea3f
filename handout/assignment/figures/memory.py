"""Figures for the chapters on memory: recipes, ZeRO, activations and their checkpointing."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from assignment import hardware
from assignment.figures.look import BLUE, GREEN, LINE, ORANGE, PURPLE, RED, SOFT, canvas, tint
from assignment.material.step_counts import LiveBytes

Layer = Callable[[torch.Tensor], torch.Tensor]
Run = Callable[[Sequence[Layer], torch.Tensor], torch.Tensor]

FP32, BF16 = torch.float32, torch.bfloat16
MASTER = {"parameters": [BF16], "gradients": [BF16], "master": [FP32], "optimizer": [FP32, FP32]}
FULL = {"parameters": [FP32], "gradients": [FP32], "master": [], "optimizer": [FP32, FP32]}
RECIPES: dict[str, dict[str, list[torch.dtype]]] = {
    "AdamW, all in fp32": FULL,
    "AdamW, parameters and\ngradients in bf16": {**MASTER, "master": []},
    "the same, with a\nmaster copy in fp32": MASTER,
    "SGD with momentum,\nall in fp32": {**FULL, "optimizer": [FP32]},
}
PARTS = {"parameters": BLUE, "gradients": ORANGE, "master": PURPLE, "optimizer": GREEN}


def recipes(ra: Any) -> Figure:
    """Bytes per parameter of four recipes, and the largest model on eight devices of 80 GB."""
    figure, axes = canvas(2.35)
    for row, recipe in enumerate(RECIPES.values()):
        left = 0
        for part, size in ra.budget.training_state(1, recipe).items():
            if part != "total" and size:
                _piece(axes, row, left, size, str(size), PARTS[part])
                left += size
        each = ra.budget.bytes_per_parameter(recipe)
        assert left == each, f"the parts add up to {left} bytes, bytes_per_parameter gave {each}"
        largest = ra.budget.largest_model(8, 80 * 10**9, recipe)
        axes.text(left + 0.25, row, f"{left} B, {largest / 1e9:.1f}e9 parameters", va="center")
    axes.set_yticks(range(len(RECIPES)), RECIPES)
    axes.set(xlim=(0, 24.5), xticks=range(0, 17, 4), xlabel="bytes per parameter")
    _as_bars(axes, PARTS)
    return figure


def zero_stages(ra: Any) -> Figure:
    """Bytes on each of 64 devices for a model of 7.5e9 parameters, by ZeRO stage."""
    parameters, devices = 7_500_000_000, 64
    groups = {
        "parameters": ["parameters"],
        "gradients": ["gradients"],
        "optimizer": ["master", "optimizer"],
    }
    figure, axes = canvas(2.35)
    for stage in range(4):
        left = 0.0
        for name, parts in groups.items():
            only = {part: MASTER[part] if part in parts else [] for part in MASTER}
            size = ra.budget.zero_bytes(parameters, devices, stage, only) / 1e9
            _piece(axes, stage, left, size, f"{size:.3g}" if size > 3 else "", PARTS[name])
            left += size
        total = ra.budget.zero_bytes(parameters, devices, stage, MASTER) / 1e9
        assert math.isclose(left, total), f"the parts add up to {left} GB, the whole is {total}"
        axes.text(left + 1, stage, f"{total:.3g} GB", va="center")
    capacity = hardware.load()["H100 SXM"].capacity / 1e9
    axes.axvline(capacity, color=RED, linewidth=1, linestyle=(0, (4, 2)), zorder=0)
    axes.text(capacity + 1, 3.0, f"an H100 holds {capacity:g} GB", color=RED, va="center")
    axes.set_yticks(range(4), [f"stage {stage}" for stage in range(4)])
    axes.set(xlim=(0, 134), xlabel="GB on each device")
    _as_bars(axes, {name: PARTS[name] for name in groups})
    return figure


def _piece(axes: Axes, row: int, left: float, size: float, text: str, colour: str) -> None:
    axes.barh(row, size, 0.64, left, color=tint(colour, 0.55), edgecolor="white", linewidth=0.6)
    axes.text(left + size / 2, row, text, ha="center", va="center")


def legend(axes: Axes, parts: Mapping[str, str]) -> None:
    """Names parts of the memory above the figure, in their colours."""
    for part, colour in parts.items():
        label = "master copy" if part == "master" else part
        axes.plot([], [], "s", markersize=9, color=tint(colour, 0.55), label=label)
    axes.figure.legend(loc="outside upper center", ncols=len(parts), handletextpad=0.3)


def _as_bars(axes: Axes, parts: Mapping[str, str]) -> None:
    """Finishes a figure of bars, from the top down: a legend above it, and no axis at the left."""
    legend(axes, parts)
    axes.invert_yaxis()
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


# A step of a deep linear network, measured.


class Meter(LiveBytes):  # type: ignore[no-untyped-call]
    """Notes each change of the live bytes of tensors of one shape, and counts products."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        super().__init__()
        self.shape, self.products = shape, 0
        self.changes: list[tuple[int, int]] = [(0, 0)]  # products until then, and live bytes

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.products += func is torch.ops.aten.mm.default
        return super().__torch_dispatch__(func, types, args, kwargs)

    def watch(self, tensor: torch.Tensor) -> None:
        if tuple(tensor.shape) == self.shape:
            super().watch(tensor)

    def change(self, size: int) -> None:
        super().change(size)
        self.changes.append((self.products, self.alive))


def _measure(run: Run) -> tuple[list[tuple[int, int]], int]:
    """A step's `Meter.changes`, and the number of products in its forward pass."""
    batch, width, count = 64, 1024, 16

    def layer(weight: torch.Tensor) -> Layer:
        return lambda x: x @ weight

    # On the meta device tensors have shapes and lifetimes but no elements, so the measurement is
    # exact and fast.
    weights = [
        torch.empty(width, width, dtype=BF16, device="meta", requires_grad=True)
        for _ in range(count)
    ]
    meter = Meter((batch, width))
    with meter:
        y = run([layer(w) for w in weights], torch.empty(batch, width, dtype=BF16, device="meta"))
        forward = meter.products
        loss = y.sum()
        del y
        loss.backward()  # type: ignore[no-untyped-call]
    return meter.changes, forward


def step_memory(ra: Any) -> Figure:
    """Activations that are alive during a training step, with and without checkpointing."""

    def keep_all(layers: Sequence[Layer], x: torch.Tensor) -> torch.Tensor:
        return functools.reduce(lambda y, layer: layer(y), layers, x)

    def segments(layers: Sequence[Layer], x: torch.Tensor) -> Any:
        return ra.recompute.checkpointed_forward(layers, x, 4)

    figure, axes = canvas(2.9)
    for run, name, colour in (
        (keep_all, "all kept", BLUE),
        (segments, "activation checkpointing, 4 segments", RED),
    ):
        log, forward = _measure(run)
        products = [done for done, _ in log]
        mib = [alive / 2**20 for _, alive in log]
        words = f"{name}: {max(mib):g} MiB at most, {products[-1]} products"
        axes.step(products, mib, where="post", color=colour, linewidth=1.5, label=words)
    axes.plot([forward] * 2, [0, 2.45], color=LINE, linewidth=1, zorder=0)
    for x, words, side in ((-0.4, "forward ", "right"), (0.4, " backward", "left")):
        axes.text(forward + x, 2.35, words, ha=side, va="center", color=SOFT)
    axes.set(xlabel="matrix products done in the step", ylabel="activations alive, MiB")
    axes.set(xlim=(0, 60.5), ylim=(0, 3.0))
    axes.legend(loc="upper right", bbox_to_anchor=(1.01, 1.04))
    return figure


def checkpointing(ra: Any) -> Figure:
    """What checkpointing costs for 64 layers: by number of segments, and by strategy."""
    layers = 64
    counts = range(1, layers + 1)
    starts = {s: [start for start, _ in ra.recompute.segment_bounds(layers, s)] for s in counts}
    costs = {s: ra.budget.checkpointing_cost(layers, starts[s], True) for s in counts}
    figure, (left, right) = canvas(2.8, ncols=2)
    left.plot(counts, [costs[s]["activations"] for s in counts], color=BLUE)
    left.plot(counts, counts, color=SOFT, linewidth=1, linestyle=(0, (4, 2)))
    best = ra.recompute.best_segments(layers)
    least = costs[best]["activations"]
    left.plot(best, least, "o", color=RED, markersize=7, markeredgecolor="white")
    left.annotate(
        f"{best} segments:\n{least} activations",
        (best, least),
        xytext=(13, 50),
        color=RED,
        arrowprops={"arrowstyle": "-", "color": RED, "linewidth": 0.8, "shrinkB": 4},
    )
    left.text(
        50, 42, "segments' inputs", color=SOFT, rotation=38, ha="center", va="center", fontsize=8
    )
    left.set(xlim=(0, 65), ylim=(0, 68), xticks=[1, 16, 32, 48, 64])
    left.set(title="Activations held, 64 layers", xlabel="segments")
    strategies = {
        "keep all": (ra.budget.checkpointing_cost(layers, range(layers), True), (6, 4), "left"),
        f"{best} segments": (costs[best], (-8, 3), "right"),
        "1 segment": (costs[1], (6, 4), "left"),
        f"{best} segments,\nnothing held within": (
            ra.budget.checkpointing_cost(layers, starts[best], False),
            (6, 52),
            "center",
        ),
        "the input alone": (ra.budget.checkpointing_cost(layers, [0], False), (0, 9), "center"),
    }
    for name, (cost, shift, side) in strategies.items():
        place = (cost["recomputed_layers"], cost["activations"])
        right.plot(*place, "o", color=BLUE)
        right.annotate(
            f"{name}\n{place[1]} held, {place[0]:,} again",
            place,
            xytext=shift,
            textcoords="offset points",
            fontsize=8,
            ha=side,
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": SOFT, "linewidth": 0.7, "shrinkB": 4}
            if shift[1] > 20
            else None,
        )
    right.set_xscale("symlog", linthresh=10)
    right.set_xticks([0, 10, 100, 1000], ["0", "10", "100", "1,000"])
    right.minorticks_off()
    right.set(xlim=(-2, 6000), ylim=(0, 75))
    right.set(title="Memory against time", xlabel="layers run again")
    return figure
