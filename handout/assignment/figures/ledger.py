"""The figure of the chapter on a training step's memory."""

from __future__ import annotations

from typing import Any

import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from assignment.figures.look import BLUE, GREEN, ORANGE, PURPLE, RED, SKY, SOFT, canvas, tint
from assignment.figures.memory import MASTER, legend

DEVICE = 80 * 10**9
XL: dict[str, Any] = {
    "vocab": 50257,
    "context": 1024,
    "layers": 48,
    "seq_len": 1024,
    "d_model": 1600,
    "heads": 25,
    "d_ff": 6400,
    "dtype": torch.bfloat16,
    "dropout": True,
    "attention": "math",
}
PARTS = {
    "parameters": BLUE,
    "master": PURPLE,
    "optimizer": GREEN,
    "gradients": ORANGE,
    "activations": SKY,
}


def step_ledger(ra: Any) -> Figure:
    """What GPT-2 XL holds at each moment of a step with six sequences, twice."""
    figure, panels = canvas(3.0, ncols=2, sharey=True)
    for axes, checkpointed in zip(panels, (False, True), strict=True):
        _panel(ra, axes, checkpointed)
    panels[0].set_ylabel("GB held")
    legend(panels[0], PARTS)
    return figure


def _panel(ra: Any, axes: Axes, checkpointed: bool) -> None:
    """One step, with each block checkpointed or with all activations kept."""
    modules = ra.ledger.model_modules(batch=6, **XL, checkpointed=checkpointed)
    step = ra.ledger.step_ledger(modules, MASTER)
    # Each moment is as wide as the others: the last one's values come twice.
    areas = [[held[part] / 1e9 for _, held in [*step, step[-1]]] for part in PARTS]
    colours = [tint(colour, 0.55) for colour in PARTS.values()]
    axes.stackplot(list(range(len(step) + 1)), *areas, step="post", colors=colours)
    axes.axhline(DEVICE / 1e9, color=RED, linewidth=1, linestyle=(0, (4, 2)))
    moment, peak = ra.ledger.peak_memory(modules, MASTER)
    name = {
        "backward 49": "as the backward\npass begins",
        "backward 1": "in the last backward\npass of a block",
    }[moment]
    place = next(i for i, (one, _) in enumerate(step) if one == moment)
    axes.annotate(
        f"{peak / 1e9:.1f} GB\n{name}",
        (place + 0.5, peak / 1e9),
        xytext=(-34, 14) if checkpointed else (24, 6),
        textcoords="offset points",
        ha="center" if checkpointed else "left",
        va="bottom" if checkpointed else "top",
        fontsize=8.5,
    )
    axes.axvline(len(modules), color=SOFT, linewidth=0.8, linestyle=(0, (1, 2)))
    axes.set(xlim=(0, len(step)), ylim=(0, 88), xticks=[0, len(modules), len(step) - 1])
    axes.set_xticklabels(["forward", "backward", "step"], ha="left")
    axes.get_xticklabels()[-1].set_horizontalalignment("right")
    axes.set_title("Each block checkpointed" if checkpointed else "Everything kept")
