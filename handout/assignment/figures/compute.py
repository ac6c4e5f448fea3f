"""Figures for the chapters on FLOPs and on the roofline."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from assignment import hardware
from assignment.figures.look import (
    BLUE,
    GREEN,
    INK,
    LINE,
    ORANGE,
    PURPLE,
    RED,
    SKY,
    canvas,
    end_label,
    thousands,
    tint,
)


# GPT-2 XL's shape with a gated feed-forward, as in the chapter.
def _gpt2_xl(ra: Any, seq_len: int) -> Any:
    shape = {"vocab": 50257, "layers": 48, "d_model": 1600, "heads": 25, "d_ff": 6400}
    return ra.flops.transformer_forward_flops(**shape, seq_len=seq_len)


def mlp_flops(ra: Any) -> Figure:
    """The matrix products of two layers, forward and backward."""
    mlp = 1024, (256, 256, 64)  # the batch, and the widths
    first = ra.flops.linear_forward_flops(1024, 256, 256)
    second = ra.flops.linear_forward_flops(1024, 256, 64)
    backward = [("∂w₂", second, 2), ("∂y₁", second, 2), ("∂w₁", first, 1)]
    with_x = [*backward, ("∂x", first, 1)]
    bars = {  # the products of each, with FLOPs and layer, and their sum
        "forward": ([("y₁", first, 1), ("y₂", second, 2)], ra.flops.mlp_forward_flops(*mlp)),
        "backward,\nx is data": (backward, ra.flops.mlp_backward_flops(*mlp, False)),
        "backward,\nx needs a gradient": (with_x, ra.flops.mlp_backward_flops(*mlp, True)),
    }
    colours = {1: tint(BLUE, 0.55), 2: tint(ORANGE, 0.6)}
    figure, axes = canvas(2.0)
    for row, (parts, total) in enumerate(bars.values()):
        left = 0
        for name, size, layer in parts:
            axes.barh(row, size, 0.62, left, color=colours[layer], edgecolor="white", linewidth=1.5)
            axes.text(left + size / 2, row, name, ha="center", va="center", fontsize=8.5)
            left += size
        assert left == total, f"the products add up to {left:,} FLOPs, the MLP has {total:,}"
        axes.text(left + 4e6, row, f"{total:,}", va="center")
    axes.set_yticks(range(len(bars)), bars)
    axes.invert_yaxis()
    axes.set(xlim=(0, 4.15e8), xlabel="million FLOPs")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / 1e6:.0f}"))
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    for layer, words in ((1, "layer 1, w₁ 256×256"), (2, "layer 2, w₂ 256×64")):
        axes.plot([], [], "s", markersize=9, color=colours[layer], label=words)
    axes.legend(loc="upper right", bbox_to_anchor=(1.0, 1.12))
    return figure


def transformer_flops(ra: Any) -> Figure:
    """The share of FLOPs of each part of a transformer, by sequence length."""
    lengths = [2**power for power in range(8, 18)]
    counts = [_gpt2_xl(ra, length) for length in lengths]
    groups = {
        "feed-forward": (("feed_forward",), BLUE),
        "attention's matrices": (("qkv", "output"), SKY),
        "scores and values: grow as T²": (("scores", "values"), ORANGE),
        "lm_head": (("lm_head",), PURPLE),
    }
    shares = [
        [100 * sum(count[part] for part in parts) / count["total"] for count in counts]
        for parts, _ in groups.values()
    ]
    figure, axes = canvas(2.9)
    colours = [tint(colour, 0.55) for _, colour in groups.values()]
    axes.stackplot(lengths, shares, colors=colours, edgecolor="white", linewidth=1)
    axes.set_xscale("log", base=2)
    axes.set_xticks(lengths[::2], thousands(lengths[::2]))
    axes.minorticks_off()
    axes.set(xlim=(lengths[0], lengths[-1]), ylim=(0, 100), xlabel="T, tokens in the sequence")
    axes.set_ylabel("% of the forward pass's FLOPs")
    places = ((2**8.2, 30), (2**10.15, 69.5), (2**13.2, 62), (2**8.2, 104))
    for name, place in zip(groups, places, strict=True):
        axes.text(*place, name, va="center")
    total = _gpt2_xl(ra, 1024)["total"]
    axes.axvline(1024, color=INK, linewidth=0.9, linestyle=(0, (4, 2)))
    axes.text(1024 * 1.06, 5, f"T = 1024: {total / 1e12:.3f}e12 FLOPs in all", va="center")
    return figure


def rooflines(ra: Any) -> Figure:
    """The rooflines of accelerators in 16 bits, and the intensity of some operations."""
    table = hardware.load()
    shown = {
        "B200": PURPLE,
        "H200 SXM": ORANGE,
        "H100 SXM": BLUE,
        "A100 SXM 80GB": GREEN,
        "L4": SKY,
        "T4": RED,
    }
    operations = {
        "ReLU": ra.roofline.relu_intensity(2**20, 2),
        "dot product": ra.roofline.dot_intensity(2**20, 2),
        "matrix × vector": ra.roofline.matvec_intensity(1024, 1024, 2),
        "GELU": ra.roofline.gelu_intensity(2**20, 2),
        **{f"matmul, n = {n}": ra.roofline.matmul_intensity(n, n, n, 2) for n in (256, 1024, 4096)},
    }
    figure, axes = canvas(4.0)
    x = np.geomspace(0.1, 4e3, 400)
    ends: dict[float, list[str]] = {}
    for name, colour in shown.items():
        entry = table[name]
        peak = entry.peak("fp16")  # the same as bf16's, which a T4 lacks
        main = name == "H100 SXM"
        roof = [ra.roofline.attainable_flops(i, peak, entry.bandwidth) / 1e12 for i in x]
        axes.plot(x, roof, color=colour, linewidth=2.6 if main else 1.2, zorder=3 if main else 2)
        ends.setdefault(peak / 1e12, []).append(name)
    for peak, names in ends.items():
        for line, name in enumerate(names):
            shift = (5, 6 * (len(names) - 1) - 12 * line)
            end_label(axes, x[-1], peak, name.split()[0], shown[name], shift=shift)
    h100 = table["H100 SXM"]
    peak = h100.peak("bf16")
    for name, intensity in operations.items():
        y = ra.roofline.attainable_flops(intensity, peak, h100.bandwidth) / 1e12
        axes.plot([intensity] * 2, [1e-2, y], color=LINE, linewidth=0.8, zorder=1)
        axes.plot(intensity, y, "o", color=BLUE, markeredgecolor="white", markersize=7, zorder=4)
        box = {"facecolor": "white", "edgecolor": "none", "pad": 1.2}
        upright: Any = {"rotation": 90, "ha": "center", "va": "bottom", "bbox": box}
        axes.text(intensity, 0.026, name, fontsize=8, zorder=5, **upright)
    ridge = ra.roofline.accelerator_intensity(peak, h100.bandwidth)
    axes.plot([ridge] * 2, [peak / 1e12, 7e3], color=BLUE, linewidth=0.8, linestyle=(0, (4, 2)))
    for words, side in (
        (f"{ridge:.1f} FLOP/B\n← bound by memory", "right"),
        ("H100\nbound by compute →", "left"),
    ):
        place = ridge * (0.88 if side == "right" else 1.13)
        axes.text(place, 4.6e3, words, ha=side, va="center", color=BLUE)
    axes.set(xscale="log", yscale="log", xlim=(0.1, 4e3), ylim=(0.02, 8e3))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.minorticks_off()
    axes.set(xlabel="arithmetic intensity, FLOP/B", ylabel="attainable TFLOP/s in 16 bits")
    return figure
