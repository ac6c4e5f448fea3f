"""FLOPs: how much arithmetic a layer takes, counted from shapes alone.

A FLOP is one floating-point addition or multiplication; FLOPs is their number, an amount of work.
(FLOP/s is a speed.) Everything here counts matrix products only: biases, activation functions,
losses and optimizers are left out, since they are small beside them. All results are exact Python
ints, whatever their size.

Letters: B batch, D inputs, K outputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise


def matmul_flops(B: int, D: int, K: int) -> int:
    """FLOPs of the matrix product (B×D)·(D×K).

    By convention each of the B·K outputs takes D multiplications and D additions. (The first
    addition, to 0, could be saved; nobody counts that way, and hardware does not either.)

    Args:
        B: rows of the left matrix.
        D: columns of the left matrix and rows of the right one.
        K: columns of the right matrix.

    Returns:
        FLOPs; 0 if a size is 0.

    Raises:
        ValueError: a size is negative.

    Source: Stanford CS336, lecture 2. Its example:

        matmul_flops(1024, 256, 64)  # 33_554_432
    """
    if min(B, D, K) < 0:
        raise ValueError(f"expected no negative size, got B={B}, D={D}, K={K}")
    return 2 * B * D * K


def linear_forward_flops(batch: int, d_in: int, d_out: int) -> int:
    """FLOPs of the forward pass of a linear layer without bias, `y = x @ w`.

    Args:
        batch: rows of x; a batch of B sequences of T tokens has B·T rows.
        d_in: columns of x, rows of w.
        d_out: columns of w and of y.

    Returns:
        FLOPs of the one matrix product.

    Raises:
        ValueError: a size is negative.
    """
    return matmul_flops(batch, d_in, d_out)


def linear_backward_flops(batch: int, d_in: int, d_out: int, input_needs_grad: bool) -> int:
    """FLOPs of the backward pass of a linear layer without bias, `y = x @ w`.

    Given the gradient of y, the weight's gradient is a matrix product of x and it, and the input's
    gradient is a matrix product of it and w. Only matrix products count.

    Args:
        batch: rows of x.
        d_in: columns of x, rows of w.
        d_out: columns of w and of y.
        input_needs_grad: whether x's gradient is computed too. For data, which nobody
            differentiates, it is not. The weight's gradient is always computed.

    Returns:
        FLOPs: as many as the forward pass, or twice as many if the input needs its gradient.

    Raises:
        ValueError: a size is negative.
    """
    weight_grad = matmul_flops(d_in, batch, d_out)
    input_grad = matmul_flops(batch, d_out, d_in) if input_needs_grad else 0
    return weight_grad + input_grad


def mlp_forward_flops(batch: int, widths: Sequence[int]) -> int:
    """FLOPs of the forward pass of an MLP: linear layers without bias, one after the other.

    Args:
        batch: rows of the input.
        widths: number of features before, between and after the layers. n + 1 widths make n
            layers; layer i is `widths[i]` × `widths[i + 1]`.

    Returns:
        FLOPs of all matrix products; activation functions between the layers do not count.

    Raises:
        ValueError: fewer than two widths, or a negative size.

    The two layers D×D and D×K of the lecture, at B=1024, D=256, K=64:

        mlp_forward_flops(1024, (256, 256, 64))  # 167_772_160
    """
    return sum(linear_forward_flops(batch, d_in, d_out) for d_in, d_out in _layers(widths))


def mlp_backward_flops(batch: int, widths: Sequence[int], input_needs_grad: bool) -> int:
    """FLOPs of the backward pass of an MLP: linear layers without bias, one after the other.

    Every layer's weight gets its gradient. Every layer but the first must also compute its input's
    gradient, to pass it on to the layer before.

    Args:
        batch: rows of the input.
        widths: number of features before, between and after the layers. n + 1 widths make n
            layers; layer i is `widths[i]` × `widths[i + 1]`.
        input_needs_grad: whether the MLP's own input, that of the first layer, gets a gradient.

    Returns:
        FLOPs of all matrix products; activation functions between the layers do not count.

    Raises:
        ValueError: fewer than two widths, or a negative size.

    "Backward is twice forward" holds only where the input needs its gradient:

        mlp_backward_flops(1024, (256, 256, 64), True)   # 335_544_320
        mlp_backward_flops(1024, (256, 256, 64), False)  # 201_326_592
    """
    return sum(
        linear_backward_flops(batch, d_in, d_out, input_needs_grad or i > 0)
        for i, (d_in, d_out) in enumerate(_layers(widths))
    )


def _layers(widths: Sequence[int]) -> list[tuple[int, int]]:
    if len(widths) < 2:
        raise ValueError(f"expected at least two widths, got {tuple(widths)}")
    return list(pairwise(widths))


def einsum_flops(pattern: str, *shapes: Sequence[int]) -> int:
    """x"""
    raise NotImplementedError


def elementwise_flops(shape: Sequence[int], per_element: int = 1) -> int:
    """x"""
    raise NotImplementedError


def transformer_parameters(
    *,
    vocab: int,
    layers: int,
    d_model: int,
    heads: int,
    d_ff: int,
    kv_heads: int | None = None,
    gated: bool = True,
    tied: bool = False,
) -> dict[str, int]:
    """x"""
    raise NotImplementedError


def transformer_forward_flops(
    *,
    vocab: int,
    layers: int,
    d_model: int,
    heads: int,
    d_ff: int,
    seq_len: int,
    batch: int = 1,
    kv_heads: int | None = None,
    gated: bool = True,
) -> dict[str, int]:
    """x"""
    raise NotImplementedError


def training_flops(parameters: int, tokens: int) -> int:
    """x"""
    raise NotImplementedError


def training_days(
    parameters: int, tokens: int, devices: int, peak_flops: float, mfu: float
) -> float:
    """x"""
    raise NotImplementedError


def mfu(flops: float, seconds: float, peak_flops: float, devices: int = 1) -> float:
    """x"""
    raise NotImplementedError
