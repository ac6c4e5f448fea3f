"""Prediction: what a training step costs, on paper, before it runs.

The model and its step are in `assignment/material/small_transformer.py`: a transformer like GPT-2
in float32, trained by torch's AdamW, in the midst of its training.
`assignment/material/step_counts.py` measures what is predicted here; `make predict` compares the
two.
"""

from __future__ import annotations

from dataclasses import dataclass


def predict_step(
    *,
    vocab: int,
    context: int,
    layers: int,
    d_model: int,
    heads: int,
    d_ff: int,
    tied: bool,
    batch: int,
    peak_flops: float,
    bandwidth: float,
) -> dict[str, float]:
    """What one training step of `small_transformer` needs, computed from its sizes.

    Nothing is built and nothing runs: sizes may be far beyond what can be built, and 10^12 layers
    take no longer than one. All sizes are at least 1, peak and bandwidth more than 0.

    Args:
        vocab, layers: tokens in the vocabulary and number of blocks.
        d_model, d_ff: width of the model and of the feed-forward's hidden layer.
        context, batch: tokens of each sequence and number of sequences.
        heads: number of heads, which divides `d_model`. A head is `d_model / heads` wide.
        tied: whether the lm_head uses the embedding's matrix and has no parameters of its own.
        peak_flops: of the device, for products of matrices in float32, FLOP/s.
        bandwidth: of the device's memory, B/s.

    Returns:
        "parameters": an int, exact.
        "flops": an int, those of all matrix products of the step, as torch's FlopCounterMode counts
            them. Exact for full marks, within 10 % for part of them.
        "peak_bytes": the most bytes of tensors that are alive at once. Within 5 % for full marks,
            within 25 % for part of them; an int or a float.
        "seconds": the least time that you expect, by a roofline. It is shown beside the measured
            time; how near it is is never marked.

    A step of GPT-2's smallest model on 8 sequences of 1024 tokens, on an H100 without TF32:

        predict_step(
            vocab=50257, context=1024, layers=12, d_model=768, heads=12, d_ff=3072, tied=True,
            batch=8, peak_flops=67e12, bandwidth=3.35e12,
        )  # 124_439_808 parameters, 6_999_559_372_800 FLOPs, 16.15e9 B, 0.132 s
    """
    raise NotImplementedError(
        "predict_step: not started; see assignment/writeup/prediction.md, "
        "or make hint EX=predict_step"
    )
