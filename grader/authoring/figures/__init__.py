"""The figures of the write-up: code draws them from the reference's numbers.

They are committed, so that every copy of a chapter shows them, also the handout's. A test compares
their bytes with what the code draws, which needs the pinned matplotlib. Figures that students can
draw with their own functions are in `assignment/figures`; those here show how something is done
that an exercise asks for, or how it ends with the reference's random numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from assignment import figures
from assignment.calls.implementation import Package
from grader.authoring.figures import layouts, prediction, training
from grader.paths import REPOSITORY

FOLDER = REPOSITORY / "assignment" / "writeup" / "figures"
REFERENCE = Package("solutions.resource_accounting")

FIGURES: dict[str, Callable[[], Figure]] = {
    **{name: partial(function, REFERENCE) for name, function in figures.FIGURES.items()},
    **{
        function.__name__: function
        for function in (
            layouts.float_formats,
            layouts.nvfp4_block,
            layouts.strides,
            training.accumulate,
            training.batches,
            training.init_depth,
            prediction.live_bytes,
        )
    },
}


def draw(name: str) -> bytes:
    """The SVG file of a figure."""
    return figures.render(FIGURES[name])


def build(folder: Path = FOLDER) -> None:
    """Draws every figure into a folder, and removes all other files there."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in FIGURES:
        (folder / f"{name}.svg").write_bytes(draw(name))
    for path in folder.iterdir():
        if path.suffix != ".svg" or path.stem not in FIGURES:
            path.unlink()


def matches_pin() -> bool:
    """Whether matplotlib is the pinned version; another version draws other bytes."""
    pins = (REPOSITORY / "constraints.txt").read_text(encoding="utf-8").split()
    return f"matplotlib=={mpl.__version__}" in pins
