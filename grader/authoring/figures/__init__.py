"""The figures of the write-up: code draws them from the reference's numbers.

They are committed, so that every copy of a chapter shows them, also the handout's. A test compares
their bytes with what the code draws, which needs the pinned matplotlib.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

from grader.authoring.figures import (
    compute,
    inference,
    layouts,
    ledger,
    look,
    memory,
    prediction,
    training,
    wire,
)
from grader.paths import REPOSITORY

FOLDER = REPOSITORY / "assignment" / "writeup" / "figures"

FIGURES = {
    function.__name__: function
    for function in (
        layouts.float_formats,
        layouts.nvfp4_block,
        layouts.strides,
        compute.mlp_flops,
        compute.transformer_flops,
        compute.rooflines,
        memory.recipes,
        memory.zero_stages,
        memory.step_memory,
        memory.checkpointing,
        ledger.step_ledger,
        inference.decode,
        wire.hidden,
        training.accumulate,
        training.batches,
        training.optimizer_paths,
        training.loss_scale,
        training.init_depth,
        prediction.live_bytes,
    )
}


def draw(name: str) -> bytes:
    """The SVG file of a figure."""
    with mpl.rc_context(look.STYLE):
        return look.svg(FIGURES[name]())


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
