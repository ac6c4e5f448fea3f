"""The figure of the chapter on communication: time on the wire against time of compute."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from assignment import hardware
from assignment.figures.look import BLUE, ORANGE, PURPLE, RED, canvas, end_label, thousands

# The chapter's model, on eight H100.
PARAMETERS, LAYERS, D_MODEL, DEVICES, BF16 = 8 * 10**9, 32, 4096, 8, torch.bfloat16

# One direction. NVIDIA H100 datasheet: 900 GB/s in both. ConnectX-7 datasheet: 400 Gbit/s.
LINKS = {"NVLink, 450e9 B/s": 450e9, "one 400 Gbit/s adapter, 50e9 B/s": 50e9}


def zero_bytes_sent(ra: Any, stage: int) -> Any:
    return ra.communication.zero_traffic(PARAMETERS, DEVICES, stage, BF16, BF16)["total"]


def tensor_bytes_sent(ra: Any, tokens: int) -> Any:
    """Bytes that each device sends, if there are this many tokens for each of them."""
    shape = (DEVICES * tokens, D_MODEL, LAYERS)
    return ra.communication.tensor_parallel_traffic(*shape, DEVICES, BF16)


def hidden(ra: Any) -> Figure:
    """Compute and communication of a step by tokens per device, over a fast and a slow link."""
    figure, panels = canvas(3.0, ncols=2, sharey=True)
    peak = hardware.load()["H100 SXM"].peak("bf16")
    for axes, (words, bandwidth) in zip(panels, LINKS.items(), strict=True):
        _panel(ra, axes, peak, bandwidth)
        axes.set(title=words, xlabel="tokens per device")
    panels[0].set_ylabel("seconds of a step")
    return figure


def _panel(ra: Any, axes: Axes, peak: float, bandwidth: float) -> None:
    """The times over one link."""
    tokens = [int(n) for n in np.geomspace(2**7, 2**17, 60)]

    def compute(n: int) -> Any:
        return ra.communication.step_seconds(n, PARAMETERS, 0, peak, bandwidth)["compute"]

    def tensor(n: int) -> Any:
        return tensor_bytes_sent(ra, n) / bandwidth

    sloping = {"compute": (compute, BLUE), "tensor parallel": (tensor, PURPLE)}
    for name, (seconds, colour) in sloping.items():
        style = {"linewidth": 2.6} if name == "compute" else {"linestyle": (0, (4, 2))}
        axes.plot(tokens, [seconds(n) for n in tokens], color=colour, zorder=3, **style)
        if seconds(2**9) == max(line(2**9) for line, _ in sloping.values()):
            end_label(
                axes, 2**13.4, seconds(round(2**13.4)), name, colour, shift=(-7, 5), ha="right"
            )
        else:
            end_label(axes, 2**9, seconds(2**9), name, colour, shift=(7, -5))
    for stage, name, colour, side in ((0, "ZeRO 0 to 2", ORANGE, -1), (3, "ZeRO 3", RED, 1)):
        sent = zero_bytes_sent(ra, stage)
        axes.plot([tokens[0], tokens[-1]], [sent / bandwidth] * 2, color=colour)
        enough = ra.communication.hiding_tokens(PARAMETERS, sent, peak, bandwidth)
        place = (enough, sent / bandwidth)
        axes.plot(*place, "o", color=colour, markeredgecolor="white", zorder=4)
        toward = "right" if side > 0 else "left"
        end_label(axes, *place, f"{enough:,}", colour, shift=(-5 * side, 7 * side), ha=toward)
        # At the end where the sloping lines are far away.
        far, ha, gap = (tokens[-1], "right", -4) if enough < 2**12 else (tokens[0], "left", 4)
        end_label(axes, far, place[1], name, colour, shift=(gap, 6.5 * side), ha=ha)
    axes.set(xscale="log", yscale="log", xlim=(tokens[0], tokens[-1]), ylim=(2e-3, 2e1))
    axes.set_xticks([2**7, 2**11, 2**15], thousands([2**7, 2**11, 2**15]))
    axes.set_yticks([0.01, 0.1, 1, 10], ["0.01", "0.1", "1", "10"])
    axes.minorticks_off()
