"""The style of all figures: sizes, colours, and labels that several of them draw."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

WIDTH = 6.4  # inches: the width of a printed column

# Okabe and Ito's colours: people with any colour vision can distinguish them.
BLUE, ORANGE, GREEN, RED = "#0072b2", "#e69f00", "#009e73", "#d55e00"
SKY, PURPLE = "#56b4e9", "#cc79a7"
INK, SOFT, LINE, PALE = "#1b1d21", "#5b626d", "#c9cbc6", "#eeeeea"

STYLE: Any = {  # matplotlib types the names as literals
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 9,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "text.color": INK,
    "axes.edgecolor": SOFT,
    "axes.labelcolor": INK,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "axes.grid": False,
    "grid.color": LINE,
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.8,
    # The same file on every machine: no random ids, and letters as outlines, which need no fonts.
    "svg.hashsalt": "resource accounting",
    "svg.fonttype": "path",
}


def canvas(height: float, **options: Any) -> tuple[Figure, Any]:
    """A figure of the usual width, and its axes as `Figure.subplots` gives them."""
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    return figure, figure.subplots(**options)


def tint(colour: str, share: float) -> str:
    """A colour mixed with white; share 1 is the colour itself."""
    red, green, blue = (1 - share * (1 - part) for part in mpl.colors.to_rgb(colour))
    return mpl.colors.to_hex((red, green, blue))


def shade(colour: str) -> str:
    """A darker colour, for letters on white."""
    red, green, blue = (0.7 * part for part in mpl.colors.to_rgb(colour))
    return mpl.colors.to_hex((red, green, blue))


def end_label(axes: Axes, x: float, y: float, text: str, colour: str, **options: Any) -> None:
    """Writes the name of a line at its end, in its colour, instead of a legend."""
    axes.annotate(
        text,
        (x, y),
        xytext=options.pop("shift", (5, 0)),
        textcoords="offset points",
        color=shade(colour),
        va=options.pop("va", "center"),
        annotation_clip=False,
        **options,
    )


def svg(figure: Figure) -> bytes:
    """A figure as an SVG file: the same bytes each time with one version of matplotlib.

    Coordinates are in points and rounded to two digits: the last bits differ between processors.
    """
    file = io.BytesIO()
    figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    text = re.sub(
        r"<!DOCTYPE.*?>|<metadata>.*?</metadata>", "", file.getvalue().decode(), flags=re.S
    )
    text = re.sub(r'(?<= (?:d|x|y)=")[^"]*', _shorten, text)
    return ("\n".join(line.strip() for line in text.splitlines() if line.strip()) + "\n").encode()


def _shorten(coordinates: re.Match[str]) -> str:
    return re.sub(r"\d+\.\d+", lambda number: f"{float(number[0]):.2f}", coordinates[0])


def thousands(values: Sequence[float]) -> list[str]:
    """Numbers with commas: 65,536."""
    return [f"{value:,.0f}" for value in values]
