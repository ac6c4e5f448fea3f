"""The write-up's figures: drawn by code, from the reference's own numbers, and committed.

Committed, so that a chapter shows them wherever it is read, and the handout has them. `check` says
which of them are not what the code draws; it compares bytes, so it needs the pinned matplotlib.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

from grader.authoring.figures import compute, layouts, look, memory, training
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
        training.accumulate,
        training.batches,
        training.optimizer_paths,
        training.loss_scale,
        training.init_depth,
    )
}


def draw(name: str) -> bytes:
    """The SVG file of a figure."""
    with mpl.rc_context(look.STYLE):
        return look.svg(FIGURES[name]())


def build(folder: Path = FOLDER) -> None:
    """Draws every figure into a folder, and removes files there that no code draws."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in FIGURES:
        (folder / f"{name}.svg").write_bytes(draw(name))
    for path in folder.iterdir():
        if path.suffix != ".svg" or path.stem not in FIGURES:
            path.unlink()


def matches_pin() -> bool:
    """Whether matplotlib is the one that drew the committed files: another draws other bytes."""
    pins = (REPOSITORY / "constraints.txt").read_text(encoding="utf-8").split()
    return f"matplotlib=={mpl.__version__}" in pins
