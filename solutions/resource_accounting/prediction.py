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
    step = _Step(vocab, context, layers, d_model, heads, d_ff, tied, batch)
    # AdamW reads 16 bytes for each parameter and writes 12. What is kept is written once and read
    # twice, and so is its gradient.
    moved = 28 * step.parameters + 24 * (step.kept + 3 * step.tokens * vocab)
    peak_bytes = 4 * max(step.moments) + context**2  # numbers in float32, and the mask of bools
    return {
        "parameters": step.parameters,
        "flops": step.flops,
        "peak_bytes": peak_bytes,
        "seconds": step.flops / peak_flops + moved / bandwidth,
    }


@dataclass(frozen=True)
class _Step:
    vocab: int
    context: int
    layers: int
    d_model: int
    heads: int
    d_ff: int
    tied: bool
    batch: int

    @property
    def tokens(self) -> int:
        return self.batch * self.context

    @property
    def embedding(self) -> int:
        return self.vocab * self.d_model

    @property
    def parameters(self) -> int:
        norm = 2 * self.d_model
        attention = 4 * self.d_model**2 + 4 * self.d_model
        feed_forward = 2 * self.d_model * self.d_ff + self.d_ff + self.d_model
        outside = self.embedding + self.context * self.d_model + norm
        outside += 0 if self.tied else self.embedding
        return outside + self.layers * (2 * norm + attention + feed_forward)

    @property
    def flops(self) -> int:
        # Each token meets each matrix once, and in each layer's attention the context twice.
        per_layer = 4 * self.d_model**2 + 2 * self.d_model * (self.d_ff + self.context)
        forward = 2 * self.tokens * (self.layers * per_layer + self.embedding)
        return 3 * forward  # backward, both factors of each product get a gradient by a product

    @property
    def kept(self) -> int:
        """Elements that the layers keep for their backward passes."""
        per_token = 8 * self.d_model + 2 * self.d_ff + self.heads * self.context
        return self.layers * self.tokens * per_token

    @property
    def moments(self) -> tuple[int, ...]:
        """Elements that are alive at the moments that can be the peak, in the order of the step.

        The first five are in the backward pass, in which gradients appear one after the other.
        """
        widths = self.d_model, self.d_ff, self.heads * self.context, self.vocab
        row, hidden, scores, logits = (self.tokens * width for width in widths)
        matrix = self.d_ff * self.d_model
        gradients = self.embedding + matrix  # of the lm_head and of the last layer's `down`
        full = 3 * self.parameters + self.kept
        two_gradients = 2 * self.embedding if self.tied else 0  # and their sum
        return (
            full + 2 * row + 3 * logits,  # the loss
            full + 3 * row + logits + self.embedding,  # the lm_head
            full + row + hidden + gradients,  # the last layer's feed-forward
            full + 2 * (scores - row - hidden) + gradients + matrix,  # its attention
            4 * self.parameters + two_gradients,  # the embedding
            5 * self.parameters,  # the optimizer: the square roots of all second moments
        )
