"""Figures for the chapters on bits and on storage."""

from __future__ import annotations

import torch
from matplotlib.figure import Figure

from assignment.figures.look import (
    BLUE,
    GREEN,
    INK,
    LINE,
    ORANGE,
    PALE,
    PURPLE,
    RED,
    SOFT,
    WIDTH,
    tint,
)
from grader.authoring.figures.boxes import cell, drawing
from solutions.resource_accounting import floats
from solutions.resource_accounting.dtypes import bits_per_element

ROWS = (BLUE, ORANGE, GREEN, PURPLE)  # a colour for each row of a view


def strides() -> Figure:
    """Five layouts of one storage of 16 elements."""
    storage = torch.arange(16)
    x = storage.view(4, 4)
    views = {
        "x": x,
        "x.transpose(0, 1)": x.transpose(0, 1),
        "x[1]": x[1],
        "x[:, 2]": x[:, 2],
        "x[:, 1::2]": x[:, 1::2],
    }
    figure, axes = drawing(5.15, 30)
    axes.text(0.2, 0.8, "view", color=SOFT)
    axes.text(13.4, 0.8, "where its elements lie in storage", color=SOFT)
    top = 1.6
    for name, view in views.items():
        table = view if view.dim() == 2 else view[None]
        colour = {int(v): ROWS[r] for r, row in enumerate(table) for v in row}
        height = max(table.shape[0], 2.2)
        middle = top + height / 2
        axes.text(0.2, middle - 0.7, name, family="DejaVu Sans Mono", weight="bold")
        axes.text(
            0.2,
            middle + 0.75,
            f"shape {tuple(view.shape)}\nstrides {view.stride()}, offset {view.storage_offset()}",
            color=SOFT,
            fontsize=7.5,
            va="center",
            linespacing=1.35,
        )
        for r, row in enumerate(table):
            for c, value in enumerate(row):
                y = middle - table.shape[0] / 2 + r
                cell(axes, 8.4 + c, y, str(int(value)), fill=tint(colour[int(value)], 0.35))
        for place in range(16):
            used = place in colour
            cell(
                axes,
                13.4 + place,
                middle - 0.5,
                str(place),
                fill=tint(colour[place], 0.35) if used else "white",
                ink=INK if used else "#9aa0a8",
                edge=SOFT if used else PALE,
                zorder=2 if used else 1,
            )
        if view.dim() == 2 and view.shape == (4, 4):
            at = int(view.storage_offset() + view.stride(0) + 2 * view.stride(1))
            for left, y in ((10.4, middle - 1), (13.4 + at, middle - 0.5)):
                cell(axes, left, y, fill="none", edge=RED, width=2.2, zorder=4)
            sum_ = f"1·{view.stride(0)} + 2·{view.stride(1)} = {at}"
            axes.text(
                13.9 + at,
                middle + 1.25,
                f"element (1, 2): {sum_}",
                color=RED,
                fontsize=8,
                ha="center",
            )
        top += height + 1.4
    return figure


FORMATS = {
    # name: exponent bits, mantissa bits, specials
    "fp32": (8, 23, "ieee"),
    "tf32": (8, 10, "ieee"),
    "bf16": (8, 7, "ieee"),
    "fp16": (5, 10, "ieee"),
    "fp8 E5M2": (5, 2, "ieee"),
    "fp8 E4M3": (4, 3, "fn"),
    "fp4 E2M1": (2, 1, "finite"),
}


def float_formats() -> Figure:
    """Draws the bits of the number 0.15625 in seven floating-point formats."""
    value = 0.15625
    figure, axes = drawing(3.6, 51)
    left, right, edge = 6.8, 44.2, 50.8
    fields = (("sign", RED), ("exponent", GREEN), ("mantissa", BLUE))
    x = left
    for name, colour in fields:
        cell(axes, x, 0.9, fill=tint(colour, 0.4))
        axes.text(x + 1.4, 1.4, name, va="center_baseline", color=SOFT)
        x += 6.5
    axes.text(edge, 1.4, "largest", ha="right", va="center_baseline", color=SOFT)
    axes.text(right, 1.4, "value", ha="right", va="center_baseline", color=SOFT)
    for row, (name, (exponent, mantissa, specials)) in enumerate(FORMATS.items()):
        y = 3.2 + 3.6 * row
        number = floats.round_to_format(value, exponent, mantissa, specials)
        bits = _pattern(number, exponent, mantissa, specials)
        axes.text(0.3, y + 0.45, name, weight="bold", va="center_baseline")
        axes.text(0.3, y + 2.0, f"{len(bits)} bits", fontsize=7.5, va="center", color=SOFT)
        colours = [RED] + [GREEN] * exponent + [BLUE] * mantissa
        for place, (bit, colour) in enumerate(zip(bits, colours, strict=True)):
            cell(axes, left + place, y - 0.2, bit, size=(1, 1.5), fill=tint(colour, 0.4))
        for width, start in ((exponent, 1), (mantissa, 1 + exponent)):
            axes.text(
                left + start + width / 2,
                y + 2.0,
                str(width),
                fontsize=7.5,
                ha="center",
                va="center",
                color=SOFT,
            )
        largest = floats.float_range(exponent, mantissa, specials)["max"]
        lost = number != value
        shown = f"{largest:.4e}".replace("+", "") if largest > 1e6 else f"{largest:g}"
        for x, words, colour in ((right, f"{number:g}", RED if lost else INK), (edge, shown, INK)):
            axes.text(x, y + 0.55, words, ha="right", va="center_baseline", color=colour)
    return figure


def _pattern(value: float, exponent: int, mantissa: int, specials: str) -> str:
    """The bits of a positive value in a format, found by bisection over all bit patterns."""
    width = 1 + exponent + mantissa
    low, high = 0, 2 ** (width - 1) - 1
    while low < high:  # larger patterns are larger values
        middle = (low + high) // 2
        if floats.decode(middle, exponent, mantissa, specials) < value:
            low = middle + 1
        else:
            high = middle
    return f"{low:0{width}b}"


def nvfp4_block() -> Figure:
    """Sixteen weights in NVFP4: each rounded to the block's grid, and what the block stores."""
    weights = torch.randn(16, generator=torch.Generator().manual_seed(4)).tolist()
    grid = sorted({floats.decode(bits, 2, 1, "finite") for bits in range(16)})
    scale = floats.round_to_format(max(map(abs, weights)) / grid[-1], 4, 3, "fn")
    codes = [floats.round_to_format(w / scale, 2, 1, "finite") + 0.0 for w in weights]
    bits = bits_per_element(4, 16, 8)

    figure = Figure(figsize=(WIDTH, 3.5))
    axes = figure.add_axes((0.1, 0.35, 0.885, 0.62))
    for step in grid:
        axes.axhline(step * scale, color=LINE, linewidth=0.7, zorder=0)
    places = range(16)
    axes.vlines(places, 0, [c * scale for c in codes], color=tint(BLUE, 0.5), linewidth=9)
    axes.plot(places, weights, "o", color=INK, markersize=4.5, label="weight")
    axes.plot([], [], "s", color=tint(BLUE, 0.5), markersize=8, label="as stored: scale × element")
    named = [step for step in grid if step == int(step)]
    axes.set_yticks([step * scale for step in named], [f"{step:g}" for step in named])
    axes.set(xlim=(-0.6, 18.2), ylim=(-6.9 * scale, 6.9 * scale), xticks=[])
    axes.set_ylabel("element")
    axes.tick_params(axis="y", labelsize=7.5, length=0)
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.legend(loc="upper right", bbox_to_anchor=(1, 1.04), ncols=2, borderpad=0)

    strip = figure.add_axes((0.1, 0.02, 0.885, 0.3))
    strip.set(xlim=(-0.6, 18.2), ylim=(4.2, 0))
    strip.axis("off")
    for place, code in enumerate(codes):
        cell(strip, place - 0.5, 0.3, f"{code:g}", fill=tint(BLUE, 0.3), fontsize=7)
    cell(strip, 16.2, 0.3, f"{scale:.3g}", size=(1.7, 1), fill=tint(ORANGE, 0.45), fontsize=7)
    for start, stop, words in (
        (-0.5, 15.5, "16 elements of 4 bits (E2M1) = 64 bits"),
        (16.2, 17.9, "scale:\n8 bits (E4M3)"),
    ):
        strip.plot([start, start, stop, stop], [1.6, 1.85, 1.85, 1.6], color=SOFT, linewidth=0.8)
        strip.text((start + stop) / 2, 2.2, words, ha="center", va="top", fontsize=8, color=SOFT)
    strip.text(7.5, 3.2, f"72 bits / 16 = {bits:g} bits an element", ha="center", va="top")
    return figure
