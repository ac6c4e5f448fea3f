"""Inference: what it costs to generate text, token by token.

Bytes and FLOPs are exact Python ints. In `step_intensity`, `decode_step` and `compute_bound_batch`
all arguments are more than 0.
"""

from __future__ import annotations

import math

import torch

from .dtypes import tensor_bytes


def kv_cache_bytes(
    batch: int, tokens: int, layers: int, kv_heads: int, head_dim: int, dtype: torch.dtype
) -> int:
    """Bytes of the KV cache: in each layer, a key and a value of each token and key head.

    Args:
        batch: number of sequences; nothing is shared between them.
        tokens: tokens in each sequence.
        layers: number of layers.
        kv_heads: number of key heads, and also of value heads.
        head_dim: elements of one key, and of one value.
        dtype: the cache's dtype.

    Returns:
        Bytes; 0 if a size is 0.

    Llama 2 70B, for one token:

        kv_cache_bytes(1, 1, 80, 8, 128, torch.bfloat16)  # 327_680
    """
    raise NotImplementedError(
        "kv_cache: not started; see assignment/writeup/inference.md, or make hint EX=kv_cache"
    )


def largest_cached_batch(
    memory: int,
    weights: int,
    tokens: int,
    layers: int,
    kv_heads: int,
    head_dim: int,
    dtype: torch.dtype,
) -> int:
    """The largest number of sequences whose KV caches fit into memory beside the weights.

    The memory of several devices counts as one pool. Activations are not counted, so this is an
    upper bound.

    Args:
        memory: bytes of all devices together.
        weights: bytes of the model's weights.
        tokens: tokens in each sequence, at least 1, for all of which there must be room.
        layers, kv_heads, head_dim, dtype: as for `kv_cache_bytes`; no size is 0.

    Returns:
        Whole sequences; 0 if the weights fit and no sequence does.

    Raises:
        ValueError: `weights` is more than `memory`.

    Llama 2 70B on eight devices of 80 GB, for sequences of 4096 tokens:

        largest_cached_batch(640 * 10**9, 137_953_296_384, 4096, 80, 8, 128, torch.bfloat16)  # 374
    """
    raise NotImplementedError(
        "kv_cache: not started; see assignment/writeup/inference.md, or make hint EX=kv_cache"
    )


def prefill_flops(
    *,
    vocab: int,
    layers: int,
    d_model: int,
    heads: int,
    d_ff: int,
    prompt: int,
    batch: int = 1,
    kv_heads: int | None = None,
    gated: bool = True,
) -> dict[str, int]:
    """FLOPs of prefill, in which all tokens of the prompts go through the model at once.

    Counted as in `flops.transformer_forward_flops`, but for one thing: only the last token of each
    prompt is multiplied with the lm_head, since no other token's logits are used. All prompt ×
    prompt scores count, also those that the causal mask hides.

    Args:
        vocab, layers, d_model, heads, d_ff, kv_heads, gated: as for `flops.transformer_parameters`.
        prompt: tokens in each prompt, at least 1.
        batch: number of prompts.

    Returns:
        FLOPs of "weights", all products with weight matrices; of "attention", the products of
        queries with keys and of attention weights with values; and their "total".

    Llama 2 70B, a prompt of 4096 tokens:

        prefill_flops(
            vocab=32000, layers=80, d_model=8192, heads=64, kv_heads=8, d_ff=28672, prompt=4096
        )["total"]  # 604_731_919_564_800
    """
    raise NotImplementedError(
        "prefill_decode_flops: not started; see assignment/writeup/inference.md, "
        "or make hint EX=prefill_decode_flops"
    )


def decode_flops(
    *,
    vocab: int,
    layers: int,
    d_model: int,
    heads: int,
    d_ff: int,
    context: int,
    batch: int = 1,
    kv_heads: int | None = None,
    gated: bool = True,
) -> dict[str, int]:
    """FLOPs of one decode step, in which one new token of each sequence goes through the model.

    The new token's query meets the keys and values of all tokens of its sequence: those in the
    cache and its own. Nothing else is computed for tokens in the cache.

    Args:
        vocab, layers, d_model, heads, d_ff, kv_heads, gated: as for `flops.transformer_parameters`.
        context: tokens in each sequence, at least 1: the new one counts.
        batch: number of sequences.

    Returns:
        FLOPs of "weights", "attention" and their "total", as for `prefill_flops`.

    Llama 2 70B, at 4096 tokens:

        decode_flops(
            vocab=32000, layers=80, d_model=8192, heads=64, kv_heads=8, d_ff=28672, context=4096
        )["total"]  # 148_163_788_800
    """
    raise NotImplementedError(
        "prefill_decode_flops: not started; see assignment/writeup/inference.md, "
        "or make hint EX=prefill_decode_flops"
    )


def step_intensity(
    batch: int,
    new_tokens: int,
    heads: int,
    kv_heads: int,
    bytes_per_weight: float,
    bytes_per_cached: float,
) -> dict[str, float]:
    """Arithmetic intensity of a step, prefill or decode, by part.

    Each weight is moved once, for all tokens of the step. Each sequence's own KV cache, with the
    new tokens in it, is moved once. Activations do not count. Each weight takes 2 FLOPs for each
    new token, and each new token meets all tokens of its sequence.

    Args:
        batch: number of sequences.
        new_tokens: tokens of each sequence that go through the model: all tokens of the prompt in
            prefill, 1 in decode.
        heads, kv_heads: number of query heads, and of key and value heads, which divides `heads`.
        bytes_per_weight: bytes of one weight; 2 in bfloat16, 0.5 in a 4-bit format.
        bytes_per_cached: bytes of one element of the cache.

    Returns:
        FLOP/B of "weights" and of "attention".

    One decode step of Llama 2 70B in bfloat16, for 16 sequences:

        step_intensity(16, 1, 64, 8, 2, 2)  # {"weights": 16.0, "attention": 8.0}
    """
    raise NotImplementedError(
        "decode_roofline: not started; see assignment/writeup/inference.md, "
        "or make hint EX=decode_roofline"
    )


def decode_step(
    *,
    batch: int,
    context: int,
    parameters: int,
    layers: int,
    heads: int,
    kv_heads: int,
    head_dim: int,
    bytes_per_weight: float,
    bytes_per_cached: float,
    peak_flops: float,
    bandwidth: float,
) -> dict[str, float]:
    """The least time of a decode step, and the speed that follows.

    A step has two parts, which do not overlap: the products with weights, and attention. Each takes
    as long as the slower of its arithmetic and its traffic, which are those of `step_intensity` for
    one new token: each weight is moved once, for 2 FLOPs of each sequence; all keys and values are
    moved once, and each query head takes 4 FLOPs for each token and element.

    Args:
        batch: number of sequences.
        context: tokens in each sequence, the new one included.
        parameters: weights in all matrices that a token is multiplied with; the embedding, in which
            it is looked up, is none of them.
        layers, heads, kv_heads, head_dim: of the attention; `kv_heads` divides `heads`.
        bytes_per_weight, bytes_per_cached: as for `step_intensity`.
        peak_flops: dense peak of all devices together, FLOP/s.
        bandwidth: of all devices' memory together, B/s.

    Returns:
        Seconds of "weights" and of "attention", their sum "seconds", and "tokens_per_second", of
        all sequences together.

    Llama 2 70B in bfloat16 at 4096 tokens, for 16 sequences on eight H100:

        decode_step(
            batch=16, context=4096, parameters=68_713_185_280, layers=80, heads=64, kv_heads=8,
            head_dim=128, bytes_per_weight=2, bytes_per_cached=2, peak_flops=8 * 989.5e12,
            bandwidth=8 * 3.35e12,
        )  # 5.13 ms for weights, 0.80 ms for attention, 2699 tokens/s
    """
    raise NotImplementedError(
        "decode_roofline: not started; see assignment/writeup/inference.md, "
        "or make hint EX=decode_roofline"
    )


def compute_bound_batch(bytes_per_weight: float, peak_flops: float, bandwidth: float) -> int:
    """The smallest batch for which the weights' part of a decode step is bound by compute.

    That is the smallest for which its intensity is at least the accelerator's.

    Args:
        bytes_per_weight: bytes of one weight.
        peak_flops: dense peak, FLOP/s.
        bandwidth: of the memory, B/s.

    Returns:
        Sequences, at least 1.

    An H100 in bfloat16:

        compute_bound_batch(2, 989.5e12, 3.35e12)  # 296
    """
    raise NotImplementedError(
        "decode_roofline: not started; see assignment/writeup/inference.md, "
        "or make hint EX=decode_roofline"
    )
