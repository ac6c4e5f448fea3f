"""Drawings without axes, of boxes with text in them."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from assignment.figures.look import INK, SOFT, WIDTH


def drawing(height: float, units: float) -> tuple[Figure, Axes]:
    """A figure with bare axes for a drawing: `units` wide, y downwards in the same units."""
    figure = Figure(figsize=(WIDTH, height))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, units)
    axes.set_ylim(units * height / WIDTH, 0)
    axes.axis("off")
    return figure, axes


def cell(
    axes: Axes,
    x: float,
    y: float,
    text: str = "",
    *,
    size: tuple[float, float] = (1, 1),
    fill: str = "white",
    ink: str = INK,
    edge: str = SOFT,
    width: float = 0.7,
    fontsize: float = 8,
    zorder: float = 1,
) -> None:
    """A box with its upper left corner at (x, y), and centred text."""
    axes.add_patch(
        Rectangle((x, y), *size, facecolor=fill, edgecolor=edge, linewidth=width, zorder=zorder)
    )
    if text:
        middle = (x + size[0] / 2, y + size[1] / 2)
        axes.text(
            *middle,
            text,
            ha="center",
            va="center_baseline",
            color=ink,
            fontsize=fontsize,
            zorder=zorder + 1,
        )
