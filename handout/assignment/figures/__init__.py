"""The figures of the text that need functions of the assignment, drawn with any package of them.

Each takes the package, such as `resource_accounting`, as `ra`, and computes what it shows with it.
They need matplotlib.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from assignment.figures import compute, inference, ledger, look, memory, training, wire

FIGURES: dict[str, Callable[[Any], Figure]] = {
    function.__name__: function
    for function in (
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
        training.optimizer_paths,
        training.loss_scale,
    )
}


def draw(name: str, ra: Any) -> bytes:
    """The SVG file of a figure, computed with a package."""
    return render(lambda: FIGURES[name](ra))


def render(figure: Callable[[], Figure]) -> bytes:
    """The SVG file of a figure that a function draws, in the style of all figures."""
    with mpl.rc_context(look.STYLE):
        return look.svg(figure())
