"""Inference: what it costs to generate text, token by token.

Bytes and FLOPs are exact Python ints. In `step_intensity`, `decode_step` and `compute_bound_batch`
all arguments are more than 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

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


def windowed_attention(
    *,
    d_model: int,
    heads: int,
    kv_heads: int,
    head_dim: int,
    windows: Sequence[int | None],
    context: int,
) -> dict[str, int]:
    """Parameters, cache and FLOPs of grouped-query attention with sliding windows.

    A layer has four matrices: from `d_model` to the queries of all heads, to the keys of all key
    heads and to their values, and from the output of all heads back to `d_model`. In a layer with a
    window of w, a token attends to itself and to the w - 1 tokens before it, and no other token
    stays in the layer's cache. Without a window, a token attends to itself and to all tokens before
    it.

    Args:
        d_model: elements of a token's vector, between layers.
        heads, kv_heads: number of query heads, and of key and value heads, which divides `heads`.
        head_dim: elements of one query, key or value; `heads * head_dim` need not be `d_model`.
        windows: one entry for each layer, its w, at least 1, or None if it has no window.
        context: tokens in the sequence, at least 1: the new one counts.

    Returns:
        Of all layers together: "parameters", those of the matrices; "cached", the elements of keys
        and values of one sequence, the new token's included; "flops", of a decode step of one
        token, in which it is multiplied with the matrices, its queries with keys, and the attention
        weights with values.

    Gemma 3 27B, 131,072 tokens (its technical report, 2025, and its published configuration):

        windowed_attention(
            d_model=5376, heads=32, kv_heads=16, head_dim=128,
            windows=10 * [*5 * [1024], None] + 2 * [1024], context=131072,
        )["cached"]  # 5_586_812_928
    """
    raise NotImplementedError(
        "attention_variants: not started; see assignment/writeup/inference.md, "
        "or make hint EX=attention_variants"
    )


def latent_attention(
    *,
    d_model: int,
    heads: int,
    kv_rank: int,
    nope_dim: int,
    rope_dim: int,
    value_dim: int,
    context: int,
    query_rank: int | None = None,
) -> dict[str, int]:
    """Parameters, cache and FLOPs of one layer of multi-head latent attention (MLA).

    One matrix turns a token into its latent, of `kv_rank` elements, and a key of `rope_dim`
    elements, which all heads share. Only these two are cached. Each head has a matrix that turns a
    latent into a key of `nope_dim` elements, and one that turns it into a value of `value_dim`
    elements. A head's query has `nope_dim + rope_dim` elements, for both keys. A last matrix leads
    from the output of all heads, `value_dim` elements each, back to `d_model`.

    A decode step can use the latents in two ways, with the same result. Expanded: the latents of
    all tokens are turned into the keys and values of all heads, to which the query attends.
    Absorbed: `nope_dim` elements of each head's query are multiplied with the head's matrix of
    keys, and then meet the latents themselves; the others meet the shared keys, as in the other
    way. The weighted sum is one of latents, too, and is then multiplied with the head's matrix of
    values. No product of two weight matrices is computed beforehand.

    Args:
        d_model, context: as for `windowed_attention`.
        heads: number of heads.
        kv_rank, nope_dim, rope_dim, value_dim: see above. Only the `rope_dim` elements of a key
            depend on its position (RoPE).
        query_rank: if given, two matrices turn a token into the queries, with so many elements in
            between; else one does.

    Returns:
        "parameters", those of the matrices, without norms; "cached", elements of one sequence, the
        new token's included; "expanded_flops" and "absorbed_flops", of all matrix products in a
        decode step of one token.

    DeepSeek-V3, 4096 tokens (DeepSeek-AI, 2024):

        latent_attention(
            d_model=7168, heads=128, query_rank=1536, kv_rank=512, nope_dim=128, rope_dim=64,
            value_dim=128, context=4096,
        )["cached"]  # 4096 * 576
    """
    raise NotImplementedError(
        "attention_variants: not started; see assignment/writeup/inference.md, "
        "or make hint EX=attention_variants"
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
