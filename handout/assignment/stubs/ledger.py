"""Ledger: where the memory of a training step goes, of a model like GPT-2.

The model: an embedding of tokens and one of positions, blocks with the norm first, a final norm,
and an lm_head that shares the embedding's matrix. A block is x ← x + attention(norm(x)), then
x ← x + feed_forward(norm(x)). Norms are LayerNorms, all linear layers but the lm_head have biases,
and the feed-forward is two of them with a GELU between. Where dropout is on, it comes after the
embedding, after the softmax, and at the end of both halves of a block.

Kept for the backward pass is what torch's autograd keeps: each tensor that an operation's backward
reads, once. Parameters, the causal mask, the batch's tokens and targets, and single numbers are not
counted. All results are exact ints.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TypeAlias

import torch

from .budget import Recipe, training_state
from .dtypes import bytes_per_element

Module: TypeAlias = tuple[int, int, int]


class DeepNetwork(torch.nn.Module):
    """A deep network as in the lecture: `layers` square linear layers, and a linear head.

    A layer is torch.relu(x @ weight), with a weight of width × width. The head is x @ weight, with
    a weight of width × outputs and without a ReLU. There are no biases.

    Each weight is a parameter, so that `state_dict()` and `.to(dtype)` work. `parameters()` yields
    them from the first layer's to the head's. They are float32, and each element is drawn
    independently from the normal distribution with mean 0 and standard deviation 1/√width. (The
    weight of a `torch.nn.Linear` is the transpose, and is drawn from a uniform distribution.)
    """

    def __init__(self, width: int, layers: int, outputs: int) -> None:
        """Draws all weights.

        Args:
            width: numbers in a row of the input, and of each layer's output.
            layers: layers before the head, 0 or more.
            outputs: numbers in a row of the head's output.
        """
        raise NotImplementedError(
            "deep_network: not started; see assignment/writeup/ledger.md, "
            "or make hint EX=deep_network"
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The head's output, batch × outputs.

        Autograd keeps one tensor for each layer, its output: ReLU's backward pass needs no other.

        Args:
            x: batch × width, with the dtype of the weights.
        """
        raise NotImplementedError(
            "deep_network: not started; see assignment/writeup/ledger.md, "
            "or make hint EX=deep_network"
        )


def deep_network_account(
    *, width: int, layers: int, outputs: int, batch: int, dtype: torch.dtype
) -> dict[str, int]:
    """What a forward and a backward pass of a `DeepNetwork` take.

    FLOPs are those of matrix products alone, an addition and a multiplication for each pair of
    factors. The backward pass computes the gradients of all weights, and whatever gradients of
    activations these need. x needs none.

    Args:
        width, layers, outputs: as for `DeepNetwork`.
        batch: rows of x.
        dtype: dtype of x and of all weights.

    Returns:
        - "parameters": their number
        - "forward_flops" and "backward_flops"
        - "saved_bytes": what autograd keeps from the forward pass for the backward pass. A tensor
          that two operations keep counts once. Parameters and x do not count

    Source: Stanford CS336, lecture 2. 8 rows through two layers of width 64 and a head, in fp32:

        deep_network_account(width=64, layers=2, outputs=1, batch=8, dtype=torch.float32)
        # {"parameters": 8256, "forward_flops": 132_096, "backward_flops": 198_656,
        #  "saved_bytes": 4096}
    """
    raise NotImplementedError(
        "deep_network: not started; see assignment/writeup/ledger.md, or make hint EX=deep_network"
    )


def block_activations(
    *,
    batch: int,
    seq_len: int,
    d_model: int,
    heads: int,
    d_ff: int,
    dtype: torch.dtype,
    dropout: bool,
    attention: str,
) -> dict[str, int]:
    """Bytes that one block keeps for its backward pass, by component.

    A tensor that several operations keep counts once, for the first of them. Elements are of
    `dtype`, unless the line says fp32 or 1 byte.

    - "norms": the inputs of both; a mean and a reciprocal deviation per token and norm, in fp32
    - "qkv": the input that the three products share
    - "scores": queries and keys
    - "softmax": its output; with flash attention instead one fp32 number per head and token
    - "values": the values; with dropout, the dropped-out weights too, a factor of their product
    - "output": the input of attention's last product
    - "up", "gelu" and "down": the inputs of the first product, of GELU and of the second product
    - "dropout": a mask of 1 byte per element of the softmax and of the outputs of both halves

    Flash attention keeps no tensor of the scores' size, and computes them again: no softmax, and
    with dropout neither its mask nor dropped-out weights.

    Args:
        batch, seq_len: number of sequences and of tokens in each.
        d_model, d_ff: width of the model and of the feed-forward's hidden layer.
        heads: number of heads, a divisor of `d_model`; each is `d_model / heads` wide.
        dtype: dtype of the activations.
        dropout: whether there is dropout.
        attention: "math" (one operation after the other) or "flash" (one fused kernel).

    Returns:
        Bytes of the ten components, and their "total".

    GPT-2 XL's block, one sequence of 1024 tokens in bf16, with dropout and without flash attention:

        gpt2_xl = dict(batch=1, seq_len=1024, d_model=1600, heads=25, d_ff=6400)
        block_activations(**gpt2_xl, dtype=torch.bfloat16, dropout=True, attention="math")["total"]
        # 186_793_984

    Source: Korthikanti et al. 2022, section 4.1, and the small tensors of the norms.
    """
    raise NotImplementedError(
        "activation_ledger: not started; see assignment/writeup/ledger.md, "
        "or make hint EX=activation_ledger"
    )


def model_activations(
    *,
    vocab: int,
    layers: int,
    batch: int,
    seq_len: int,
    d_model: int,
    heads: int,
    d_ff: int,
    dtype: torch.dtype,
    dropout: bool,
    attention: str,
) -> dict[str, int]:
    """Bytes that the whole model keeps for its backward pass, by component.

    The embedding keeps only its dropout's mask, 1 byte per element. The final norm keeps what a
    block's norm does, and the lm_head its input. The loss is computed in fp32, whatever `dtype` is,
    and keeps the logarithms of the probabilities of all tokens of the vocabulary, but no logits.

    Args:
        vocab, layers: tokens in the vocabulary and number of blocks.
        all others: as for `block_activations`.

    Returns:
        Bytes of "embedding", "blocks" (all of them), "final_norm", "lm_head" and "loss", and their
        "total".

    GPT-2 XL, vocab=50257 and layers=48, and the rest as above:

        model_activations(vocab=50257, layers=48, **gpt2_xl, ...)["total"]  # 9_180_164_096
    """
    raise NotImplementedError(
        "activation_ledger: not started; see assignment/writeup/ledger.md, "
        "or make hint EX=activation_ledger"
    )


def step_ledger(modules: Sequence[Module], recipe: Recipe) -> list[tuple[str, dict[str, int]]]:
    """The memory of a training step, moment by moment.

    The model is a chain of modules. Each is (parameters, held, needed):

    - parameters: their number;
    - held: bytes of activations that it holds from its forward pass until its backward pass;
    - needed: bytes of its activations while its backward pass runs, in place of `held`: the same
      number, or more if the module is checkpointed, since it runs again just before.

    A step has these moments: the forward pass of each module, the backward pass of each module from
    the last to the first, and the optimizer's step. Parameters, master copy and optimizer state
    live throughout. A gradient lives from its module's backward pass to the end; none is there
    before. Activations live until the end of their module's backward pass, and gradients are there
    at that moment already.

    Temporary tensors are not counted: those inside an operation, and gradients of activations.

    Args:
        modules: the chain, from the input to the loss.
        recipe: the dtypes of every copy, as for `budget.bytes_per_parameter`.

    Returns:
        (moment, bytes) for each moment, in order. Moments are called "forward 0", "forward 1", …,
        then …, "backward 1", "backward 0", and last "optimizer step". Bytes is a dict with
        "parameters", "gradients", "master", "optimizer" and "activations", and their "total".

    One module of 10 parameters that holds 100 bytes, all in fp32:

        step_ledger([(10, 100, 100)], fp32_recipe)
        # [("forward 0", {"parameters": 40, "gradients": 0, "master": 0, "optimizer": 80,
        #                 "activations": 100, "total": 220}),
        #  ("backward 0", {…, "gradients": 40, …, "activations": 100, "total": 260}),
        #  ("optimizer step", {…, "gradients": 40, …, "activations": 0, "total": 160})]
    """
    raise NotImplementedError(
        "step_ledger: not started; see assignment/writeup/ledger.md, or make hint EX=step_ledger"
    )


def peak_memory(modules: Sequence[Module], recipe: Recipe) -> tuple[str, int]:
    """The largest total of `step_ledger`, and when it occurs.

    Returns:
        (moment, bytes): the largest total, and the first moment that has it.

    The module above:

        peak_memory([(10, 100, 100)], fp32_recipe)  # ("backward 0", 260)
    """
    raise NotImplementedError(
        "step_ledger: not started; see assignment/writeup/ledger.md, or make hint EX=step_ledger"
    )


def adamw_cost(parameters: int, recipe: Recipe) -> dict[str, int]:
    """FLOPs and memory traffic of one AdamW step, as one fused kernel does it.

    FLOPs count each addition, subtraction, multiplication, division and square root that the four
    lines of AdamW's step (the chapter has them) do for a parameter; g² is a multiplication. What is
    the same for all parameters is computed once and counts nothing: 1 − lr · weight_decay, 1 − β1,
    1 − β2, lr / (1 − β1ᵗ) and √(1 − β2ᵗ).

    Traffic counts each copy of the recipe: gradients are read; optimizer state and master copy are
    read and written; parameters are written, and read if the recipe has no master copy. With a
    master copy the step changes that, and the parameters are rounded from it.

    Args:
        parameters: number of parameters.
        recipe: the dtypes of every copy, as for `budget.bytes_per_parameter`; "optimizer" has
            AdamW's two moments.

    Returns:
        "flops" and "bytes".

    A million parameters, all in fp32, take 28 bytes each, at 0.5 FLOP/B:

        adamw_cost(10**6, fp32_recipe)  # {"flops": 14_000_000, "bytes": 28_000_000}
    """
    raise NotImplementedError(
        "step_ledger: not started; see assignment/writeup/ledger.md, or make hint EX=step_ledger"
    )


def model_modules(
    *,
    vocab: int,
    context: int,
    layers: int,
    batch: int,
    seq_len: int,
    d_model: int,
    heads: int,
    d_ff: int,
    dtype: torch.dtype,
    dropout: bool,
    attention: str,
    checkpointed: bool,
) -> list[Module]:
    """The model as a chain of modules for `step_ledger`.

    The first module is the embedding, without the matrix that the lm_head shares: the backward pass
    reaches that in the last module, so it counts there. Then comes each block. The last module is
    the final norm, the lm_head and the loss together.

    Args:
        context: positions in the position embedding, at least `seq_len`.
        checkpointed: whether each block is checkpointed. Then it holds only its input, and needs
            all that `block_activations` counts: its input is in that already.
        all others: as for `model_activations`.

    Returns:
        `layers + 2` modules: (parameters, held, needed) of each.

    GPT-2 XL has 1,557,611,200 parameters:

        modules = model_modules(vocab=50257, context=1024, layers=48, **gpt2_xl, ...)
        sum(parameters for parameters, held, needed in modules)  # 1_557_611_200
    """
    raise NotImplementedError(
        "largest_batch: not started; see assignment/writeup/ledger.md, "
        "or make hint EX=largest_batch"
    )


def largest_batch(
    device_bytes: int,
    recipe: Recipe,
    *,
    vocab: int,
    context: int,
    layers: int,
    seq_len: int,
    d_model: int,
    heads: int,
    d_ff: int,
    dtype: torch.dtype,
    dropout: bool,
    attention: str,
    checkpointed: bool,
) -> int:
    """The largest batch with which a training step fits on one device.

    It fits if no moment of `step_ledger` exceeds the device's memory. Temporary tensors,
    fragmentation and what the libraries take are not counted, so this is an upper bound.

    Args:
        device_bytes: memory of the device, in bytes; an 80 GB device has 80 * 10**9.
        recipe: the dtypes of every copy, as for `budget.bytes_per_parameter`.
        all others: as for `model_modules`; `seq_len` is at least 1.

    Returns:
        The largest number of sequences; 0 if an empty batch fits and one sequence does not.

    Raises:
        ValueError: not even a step with an empty batch fits.

    GPT-2 XL with dropout in bf16, with moments and a master copy in fp32, on an 80 GB device:

        largest_batch(80 * 10**9, recipe, ..., attention="math", checkpointed=False)  # 6
    """
    raise NotImplementedError(
        "largest_batch: not started; see assignment/writeup/ledger.md, "
        "or make hint EX=largest_batch"
    )
