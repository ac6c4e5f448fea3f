"""FLOPs: how much arithmetic a layer takes, counted from shapes alone.

A FLOP is one floating-point addition or multiplication; FLOPs is their number, an amount of work.
For layers and models only matrix products are counted: biases, activation functions, losses and
optimizers are small in comparison. Counts are exact Python ints, whatever their size.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain, pairwise


def matmul_flops(B: int, D: int, K: int) -> int:
    """FLOPs of the matrix product (B×D)·(D×K); 0 if a size is 0.

    By convention each of the B·K outputs takes D multiplications and D additions. (The first
    addition, to 0, could be saved, but neither this convention nor hardware saves it.)

    Source: Stanford CS336, lecture 2. Its example:

        matmul_flops(1024, 256, 64)  # 33_554_432
    """
    raise NotImplementedError(
        "matmul_flops: not started; see assignment/writeup/flops.md, or make hint EX=matmul_flops"
    )


def linear_forward_flops(batch: int, d_in: int, d_out: int) -> int:
    """FLOPs of the forward pass of a linear layer without bias, `y = x @ w`.

    Args:
        batch: rows of x; a batch of B sequences of T tokens has B·T rows.
        d_in: columns of x, rows of w.
        d_out: columns of w and of y.
    """
    raise NotImplementedError(
        "matmul_flops: not started; see assignment/writeup/flops.md, or make hint EX=matmul_flops"
    )


def elementwise_flops(shape: Sequence[int], per_element: int = 1) -> int:
    """FLOPs of an operation on each element of a tensor: an activation function, a bias, a sum.

    Args:
        shape: size of each dimension, which may be 0; () is a scalar, which is one element.
        per_element: FLOPs for one element: 1 for ReLU or for adding a bias, about 20 for GELU.

    ReLU on the outputs of the product 1024×256 · 256×64, which takes 512 times as many FLOPs:

        elementwise_flops((1024, 64))  # 65_536
    """
    raise NotImplementedError(
        "matmul_flops: not started; see assignment/writeup/flops.md, or make hint EX=matmul_flops"
    )


def linear_backward_flops(batch: int, d_in: int, d_out: int, input_needs_grad: bool) -> int:
    """FLOPs of the backward pass of a linear layer without bias, `y = x @ w`.

    Given the gradient of y, the weight's gradient is a product of x and that gradient, and the
    input's gradient is a product of that gradient and w. Only matrix products count.

    Args:
        batch, d_in, d_out: as for `linear_forward_flops`.
        input_needs_grad: whether x's gradient is computed too. For data it is not needed. The
            weight's gradient is always computed.

    Returns:
        FLOPs: as many as the forward pass, or twice as many if the input needs a gradient.
    """
    raise NotImplementedError(
        "matmul_flops: not started; see assignment/writeup/flops.md, or make hint EX=matmul_flops"
    )


def mlp_forward_flops(batch: int, widths: Sequence[int]) -> int:
    """FLOPs of the forward pass of an MLP: linear layers without bias, one after the other.

    Args:
        batch: rows of the input.
        widths: number of features before, between and after the layers. n + 1 widths make n
            layers, at least one; layer i is `widths[i]` × `widths[i + 1]`.

    Returns:
        FLOPs of all matrix products; activation functions between the layers do not count.

    The two layers D×D and D×K of the lecture, at B=1024, D=256, K=64:

        mlp_forward_flops(1024, (256, 256, 64))  # 167_772_160
    """
    raise NotImplementedError(
        "mlp_flops: not started; see assignment/writeup/flops.md, or make hint EX=mlp_flops"
    )


def mlp_backward_flops(batch: int, widths: Sequence[int], input_needs_grad: bool) -> int:
    """FLOPs of the backward pass of an MLP: linear layers without bias, one after the other.

    Every layer's weight gets a gradient. Every layer but the first must also compute its input's
    gradient, to pass it on to the layer before.

    Args:
        batch, widths: as for `mlp_forward_flops`.
        input_needs_grad: whether the MLP's input, that of the first layer, gets a gradient.

    "Backward is twice forward" holds only if the input needs a gradient:

        mlp_backward_flops(1024, (256, 256, 64), True)   # 335_544_320
        mlp_backward_flops(1024, (256, 256, 64), False)  # 201_326_592
    """
    raise NotImplementedError(
        "mlp_flops: not started; see assignment/writeup/flops.md, or make hint EX=mlp_flops"
    )


def einsum_flops(pattern: str, *shapes: Sequence[int]) -> int:
    """FLOPs of an einsum, by the convention that every combination of all axes is visited once.

    With n operands each visit takes n - 1 multiplications, and one addition to the result. So the
    FLOPs are n times the product of the sizes of all axes that the pattern names, each counted
    once: 2 per visit for two operands, as for `matmul_flops`, and 1 per visit for one operand.

    For two operands with a common axis that is not in the result, torch counts the same. The count
    is too high if an axis of only one operand could be summed first, if a product of three could
    be computed two at a time, and if nothing is summed.

    Args:
        pattern: the axes of each operand, then those of the result, as in einops: names separated
            by spaces, operands by commas: "batch seq d, d k -> batch seq k". An operand without
            axes is a scalar. An axis that occurs twice in an operand means its diagonal. Names are
            Python identifiers, not keywords, so there are no parentheses, no numbers, and no "...".
        shapes: the shape of each operand, in the pattern's order. An axis has the same size
            wherever it occurs; it may be 0.

        einsum_flops("b d, d k -> b k", (1024, 256), (256, 64))  # 33_554_432
    """
    raise NotImplementedError(
        "einsum_flops: not started; see assignment/writeup/flops.md, or make hint EX=einsum_flops"
    )


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
    """Parameters of a decoder-only transformer, by component.

    Each layer has an RMSNorm of `d_model` weights before its attention and another before its
    feed-forward; one more comes before the lm_head. There are no biases. Position embeddings are
    rotary (RoPE) and have no parameters.

    Args:
        vocab: tokens in the vocabulary.
        layers: number of layers.
        d_model: width of the model. A head is `d_model / heads` wide.
        heads: number of query heads, which divides `d_model`.
        d_ff: width of the feed-forward's hidden layer.
        kv_heads: number of key and value heads, which divides `heads`; each is shared by
            `heads / kv_heads` query heads (grouped-query attention). None means as many as `heads`.
        gated: whether the feed-forward is gated, as in SwiGLU, with three matrices; else two.
        tied: whether the lm_head uses the embedding's matrix and has no parameters of its own.

    Returns:
        Parameters of "embedding", "attention", "feed_forward", "norms" and "lm_head", over all
        layers, and their "total".

    GPT-2 XL's shape with SwiGLU has 2,127,057,600:

        transformer_parameters(vocab=50257, layers=48, d_model=1600, heads=25, d_ff=6400)["total"]
    """
    raise NotImplementedError(
        "transformer_parameters: not started; see assignment/writeup/flops.md, "
        "or make hint EX=transformer_parameters"
    )


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
    """FLOPs of the forward pass of `transformer_parameters`'s transformer, by component.

    Only matrix products are counted: no norms, softmax, activation functions or rotary positions.
    The embedding counts 0, since it only looks up rows. Attention counts all seq_len × seq_len
    scores; a kernel that skips the masked half does half the work for "scores" and "values".

    Args:
        vocab, layers, d_model, heads, d_ff, kv_heads, gated: as for `transformer_parameters`.
        seq_len: tokens in a sequence.
        batch: number of sequences.

    Returns:
        FLOPs over all layers of "qkv" (queries, keys and values from the layer's input), "scores"
        (queries times keys), "values" (attention weights times values), "output" (attention's last
        matrix) and "feed_forward"; of "lm_head", for every token; and their "total".

    GPT-2 XL's shape with SwiGLU takes 4.513e12 for one sequence of 1024 tokens:

        transformer_forward_flops(
            vocab=50257, layers=48, d_model=1600, heads=25, d_ff=6400, seq_len=1024
        )["total"]  # 4_513_336_524_800
    """
    raise NotImplementedError(
        "transformer_flops: not started; see assignment/writeup/flops.md, "
        "or make hint EX=transformer_flops"
    )


def training_flops(parameters: int, tokens: int) -> int:
    """FLOPs of a training run, 6 for each parameter and token ("6ND").

    The forward pass takes a multiplication and an addition for each parameter and token, the
    backward pass twice as much. Not counted: attention's products of activations with each other,
    which have no parameters, and everything that is not a matrix product.

    Args:
        parameters: number of parameters, N.
        tokens: number of tokens trained on, D; a token seen twice counts twice.

    70B parameters and 15T tokens take 6.3e24:

        training_flops(70 * 10**9, 15 * 10**12)
    """
    raise NotImplementedError(
        "training_flops: not started; see assignment/writeup/flops.md, "
        "or make hint EX=training_flops"
    )


def training_days(
    parameters: int, tokens: int, devices: int, peak_flops: float, mfu: float
) -> float:
    """Days that a training run takes.

    Args:
        parameters, tokens: as for `training_flops`.
        devices: number of accelerators, at least 1.
        peak_flops: dense peak of one device in the dtype of the matrix products, FLOP/s; more
            than 0.
        mfu: model FLOPs utilization, the fraction of the peak that the run reaches, in (0, 1].

    Returns:
        `training_flops` divided by the FLOPs that the devices do in a day of 86,400 seconds.

    1024 H100 of 989.5e12 dense FLOP/s, at MFU 0.5, need 143.93 days:

        training_days(70 * 10**9, 15 * 10**12, 1024, 989.5e12, 0.5)
    """
    raise NotImplementedError(
        "training_flops: not started; see assignment/writeup/flops.md, "
        "or make hint EX=training_flops"
    )


def moe_parameters(
    *,
    vocab: int,
    layers: int,
    d_model: int,
    heads: int,
    d_expert: int,
    experts: int,
    experts_per_token: int,
    shared_experts: int = 0,
    dense_layers: int = 0,
    d_ff: int = 0,
    kv_heads: int | None = None,
    tied: bool = False,
) -> dict[str, int]:
    """Parameters of a mixture of experts (MoE), total and active, and the FLOPs of its training.

    The model is that of `transformer_parameters`, but a layer's feed-forward is replaced by experts
    and a router, except in the first `dense_layers` layers. An expert is a gated feed-forward,
    three matrices. The router is a linear layer without bias, from `d_model` to one score for each
    routed expert. Each token is sent through the routed experts with the highest scores, and
    through all shared experts, which have no scores.

    Args:
        vocab, d_model, heads, kv_heads, tied: as for `transformer_parameters`.
        layers: number of layers, the dense ones included.
        d_expert: width of an expert's hidden layer, routed or shared.
        experts: routed experts of a layer; the shared ones are not among them.
        experts_per_token: routed experts that a token is sent through in each layer.
        shared_experts: shared experts of a layer.
        dense_layers: number of first layers that have a gated feed-forward, no experts, no router.
        d_ff: width of that feed-forward's hidden layer.

    Returns:
        "total", all parameters; "active", all but the routed experts that a token is not sent
        through; "training_flops_per_token", 6 for each active parameter.

    Mixtral 8x7B has 46.7e9 parameters, of which 12.9e9 are active (Jiang et al., 2024):

        moe_parameters(
            vocab=32000, layers=32, d_model=4096, heads=32, kv_heads=8,
            d_expert=14336, experts=8, experts_per_token=2,
        )["active"]  # 12_879_925_248
    """
    raise NotImplementedError(
        "expert_parameters: not started; see assignment/writeup/flops.md, "
        "or make hint EX=expert_parameters"
    )


def distinct_experts(experts: int, experts_per_token: int, tokens: int) -> float:
    """Expected number of a layer's routed experts that at least one token is sent through.

    The weights of these experts are read from memory, those of the others are not. Each token is
    sent through `experts_per_token` different experts; every such set is equally likely for it,
    whatever the sets of the other tokens are.

    Args:
        experts, experts_per_token: as for `moe_parameters`, each at least 1.
        tokens: number of tokens in the batch, which may be 0.

    Returns:
        The mean over all choices of the tokens, between 0 and `experts`.

    Two tokens, each with 2 of 8 experts, have 0.5 experts in common on average:

        distinct_experts(8, 2, 2)  # 3.5
    """
    raise NotImplementedError(
        "expert_parameters: not started; see assignment/writeup/flops.md, "
        "or make hint EX=expert_parameters"
    )


def mfu(flops: float, seconds: float, peak_flops: float, devices: int = 1) -> float:
    """Model FLOPs utilization: the speed reached, as a fraction of the speed promised.

    Args:
        flops: FLOPs that the model needed, over all devices. Additional work, such as a forward
            pass repeated to save memory, does not count.
        seconds: the time that it took, more than 0.
        peak_flops: dense peak of one device in the dtype of the matrix products, FLOP/s; more
            than 0.
        devices: number of accelerators, at least 1.

    Returns:
        A number that should be between 0 and 1; 0.5 and more is good. Above 1 the count, the
        time or the peak is wrong.

    An H100 that needs 20 ms for the 8.796e12 FLOPs of the lecture's product:

        mfu(8.796e12, 0.020, 989.5e12)  # 0.4445
    """
    raise NotImplementedError(
        "mfu: not started; see assignment/writeup/flops.md, or make hint EX=mfu"
    )
