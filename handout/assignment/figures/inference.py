"""The figure for the chapter on inference."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from matplotlib.figure import Figure

from assignment import hardware
from assignment.figures.look import (
    BLUE,
    GREEN,
    INK,
    ORANGE,
    RED,
    SOFT,
    canvas,
    end_label,
    shade,
    thousands,
)

# Llama 2 70B's shape, as in the chapter, on a pool of eight H100.
DEVICES, CONTEXT, HEAD_DIM = 8, 4096, 128
_SHAPE: Any = {"layers": 80, "heads": 64}
_BF16: Any = {"bytes_per_weight": 2, "bytes_per_cached": 2}


def decode(ra: Any) -> Figure:
    """Decode of Llama 2 70B on eight H100 by batch, for 64, 8 and 1 key heads.

    Left the intensity of weights and attention; right tokens/s, up to the batch that still fits.
    """
    h100 = hardware.load()["H100 SXM"]
    peak = h100.peak("bf16")
    speed: Any = {"peak_flops": DEVICES * peak, "bandwidth": DEVICES * h100.bandwidth}
    ridge = ra.roofline.accelerator_intensity(peak, h100.bandwidth)
    batches = np.unique(np.geomspace(1, 4096, 200).astype(int)).tolist()
    figure, (left, right) = canvas(3.2, ncols=2)
    figure.set_layout_engine("constrained", wspace=0.06)

    weights = [ra.inference.step_intensity(n, 1, 64, 8, **_BF16)["weights"] for n in batches]
    left.plot(batches, weights, color=BLUE)
    left.text(13, 24, "weights", color=shade(BLUE), ha="right", va="center")
    left.axhline(ridge, color=INK, linewidth=0.9, linestyle=(0, (4, 2)))
    left.text(1.1, ridge * 1.12, f"an H100: {ridge:.1f}", va="bottom")
    left.set(ylim=(0.5, 5000), ylabel="FLOP/B of a decode step in bf16")

    for kv_heads, name, colour in (
        (64, "64 key heads", RED),
        (8, "8 key heads", ORANGE),
        (1, "1 key head", GREEN),
    ):
        model = ra.flops.transformer_parameters(
            vocab=32_000, d_model=8192, d_ff=28_672, kv_heads=kv_heads, **_SHAPE
        )
        most = ra.inference.largest_cached_batch(
            DEVICES * h100.capacity,
            2 * model["total"],
            CONTEXT,
            _SHAPE["layers"],
            kv_heads,
            HEAD_DIM,
            torch.bfloat16,
        )
        matrices = model["total"] - model["embedding"] - model["norms"]
        attention = ra.inference.step_intensity(1, 1, 64, kv_heads, **_BF16)["attention"]
        left.axhline(attention, color=colour)
        words = f"attention, {name}" if kv_heads == 64 else name
        left.text(3800, attention * 1.12, words, color=shade(colour), ha="right", va="bottom")
        fitting = [batch for batch in batches if batch < most] + [most]
        reached = [
            ra.inference.decode_step(
                batch=batch,
                context=CONTEXT,
                parameters=matrices,
                kv_heads=kv_heads,
                head_dim=HEAD_DIM,
                **_SHAPE,
                **_BF16,
                **speed,
            )["tokens_per_second"]
            for batch in fitting
        ]
        right.plot(fitting, reached, color=colour)
        right.plot(most, reached[-1], "o", color=colour, markersize=5)
        words = f"{name}:\n{most:,} fit"
        end_label(right, most, reached[-1], words, colour, shift=(5, -5), va="top")
    first = ra.inference.compute_bound_batch(2, peak, h100.bandwidth)
    right.plot([first] * 2, [6000, 90_000], color=SOFT, linewidth=0.9, linestyle=(0, (4, 2)))
    words = f"weights bound by\ncompute from {first} on"
    right.text(first * 0.85, 105_000, words, ha="right", va="top", fontsize=8.2)
    right.set(ylim=(150, 110_000), ylabel="tokens/s on 8 H100, 4096 tokens each")
    ticks = [1, 10, 100, 1000, 10_000]
    for axes in (left, right):
        axes.set(xscale="log", yscale="log", xlim=(1, 4096), xlabel="sequences in the batch")
        axes.set_xticks(ticks[:4], thousands(ticks[:4]))
        axes.minorticks_off()
    left.set_yticks(ticks[:4], thousands(ticks[:4]))
    right.set_yticks(ticks[3:], thousands(ticks[3:]))
    return figure
