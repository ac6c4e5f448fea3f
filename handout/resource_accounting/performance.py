"""Performance: the same results in less time, on a device.

Each function here also has a correct version that is several times slower; the graded tests
compare your time with both, on a CUDA device.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch.nn import functional


def matmul_chain(x: torch.Tensor, weights: Sequence[torch.Tensor]) -> torch.Tensor:
    """A chain of matrix products, each followed by a leaky ReLU and a norm, near the device's peak.

    For each weight, x becomes leaky_relu(x @ weight) with a slope of 0.8, and each of its rows is
    divided by the row's root mean square. On a CUDA device the products may be done in bfloat16,
    whose peak is many times that of float32; the result's error may be that of a chain in bfloat16.

    Args:
        x: (n, n), float32 or float64.
        weights: (n, n) each, of x's dtype; the same weight may occur several times.

    Returns:
        (n, n), of x's dtype.
    """
    raise NotImplementedError(
        "fast_products: not started; see assignment/writeup/performance.md, "
        "or make hint EX=fast_products"
    )


def causal_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Attention in which each position sees only itself and earlier positions.

    softmax(q kᵀ / √d) v, where every score of a later position is replaced by -inf. The scores of
    all positions take length² numbers for each head: a fused kernel never writes them to memory.

    Args:
        q, k, v: (batch, heads, length, d), of one dtype.

    Returns:
        (batch, heads, length, d), of that dtype.
    """
    raise NotImplementedError(
        "fast_training: not started; see assignment/writeup/performance.md, "
        "or make hint EX=fast_training"
    )


def training_step(
    model: torch.nn.Module, optimizer: torch.optim.Optimizer, tokens: torch.Tensor
) -> None:
    """One step of training a language model to predict each next token.

    The loss is the mean cross-entropy between the logits of all positions but the last and the
    tokens that follow them. On a CUDA device the forward pass may run in bfloat16, with autocast;
    parameters and optimizer stay in float32. Nothing is returned or printed, because reading the
    loss waits for the device.

    Args:
        model: gives logits (batch, length, vocabulary) for tokens (batch, length).
        optimizer: over the model's parameters, which may still have gradients of an earlier step.
        tokens: (batch, length), int64, on the model's device.
    """
    raise NotImplementedError(
        "fast_training: not started; see assignment/writeup/performance.md, "
        "or make hint EX=fast_training"
    )


def adamw_update(
    params: Sequence[torch.Tensor],
    grads: Sequence[torch.Tensor],
    exp_avgs: Sequence[torch.Tensor],
    exp_avg_sqs: Sequence[torch.Tensor],
    *,
    step: int,
    lr: float,
    betas: tuple[float, float],
    eps: float,
    weight_decay: float,
) -> None:
    """One step of AdamW for many tensors at once, in place.

    Updates each tensor as `adamw_step` does. A loop starts a dozen small kernels for each tensor;
    torch's `_foreach_` functions start few, but pass over all tensors 20 times. A fused kernel
    passes 7 times.

    Args:
        params: floating point, of any shapes, at least one; changed in place.
        grads: of the same shapes; not changed.
        exp_avgs, exp_avg_sqs: moments after the previous step, of the same shapes; changed in
            place.
        step: the number of this step; the first is 1.
        lr, betas, eps, weight_decay: as in `adamw_step`.
    """
    raise NotImplementedError(
        "fast_adamw: not started; see assignment/writeup/performance.md, or make hint EX=fast_adamw"
    )
