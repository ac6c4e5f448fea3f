"""Inference, with the numbers of Llama 2 70B on eight H100."""

import math
from collections import deque

import numpy as np
import pytest
import torch

from assignment.expect import expect

BF16 = torch.bfloat16
LLAMA = {"vocab": 32000, "layers": 80, "d_model": 8192, "heads": 64, "kv_heads": 8, "d_ff": 28672}
WEIGHTS = 137_953_296_384  # bytes in bf16
H100 = {"peak_flops": 989.5e12, "bandwidth": 3.35e12}  # dense bfloat16
STEP = {"context": 4096, "parameters": 68_713_185_280, "layers": 80, "heads": 64, "kv_heads": 8}
STEP |= {"head_dim": 128, "bytes_per_weight": 2, "bytes_per_cached": 2}
STEP |= {"peak_flops": 8 * 989.5e12, "bandwidth": 8 * 3.35e12}


@pytest.mark.exercise("kv_cache")
def test_cache_of_a_token(impl):
    """Llama 2 70B keeps 327,680 bytes for a token, with 64 key heads it would be 2,621,440"""
    expect(impl.inference.kv_cache_bytes(1, 1, 80, 8, 128, BF16), "with 8 key heads").equals(
        327_680, hint="one token: a key and a value, in each of 80 layers, for each of 8 heads"
    )
    expect(impl.inference.kv_cache_bytes(1, 1, 80, 64, 128, BF16), "with 64").equals(2_621_440)
    expect(impl.inference.kv_cache_bytes(16, 4096, 80, 8, 128, BF16), "16 sequences").equals(
        21_474_836_480, hint="every sequence has its own cache"
    )


@pytest.mark.exercise("kv_cache")
def test_sequences_beside_the_weights(impl):
    """Beside Llama 2 70B, eight devices of 80 GB hold 374 sequences, memory for the weights alone
    none, and a single device not even the weights"""
    shape = (4096, 80, 8, 128, BF16)
    expect(impl.inference.largest_cached_batch(640 * 10**9, WEIGHTS, *shape)).equals(
        374, hint="divide what the weights leave by the cache of one sequence, rounded down"
    )
    expect(impl.inference.largest_cached_batch(WEIGHTS, WEIGHTS, *shape)).equals(0)
    with pytest.raises(ValueError):
        impl.inference.largest_cached_batch(80 * 10**9, WEIGHTS, *shape)


@pytest.mark.exercise("kv_cache")
def test_cache_of_nothing(impl):
    """A cache without tokens takes 0 bytes"""
    for tokens, size in ((1, 512), (0, 0)):
        found = impl.inference.kv_cache_bytes(4, tokens, 2, 2, 8, BF16)
        expect(found, f"bytes of a cache with tokens={tokens}").equals(size)


@pytest.mark.exercise("kv_cache")
def test_random_caches(impl, rng):
    """Bytes and batches are exact ints, in any dtype, however large they are"""
    for i in range(20):
        sizes = [int(n) + i % 2 * 2**40 for n in rng.integers(1, 1000, size=5)]
        dtype, width = [(BF16, 2), (torch.float32, 4), (torch.float8_e4m3fn, 1)][i % 3]
        each, weights = 2 * math.prod(sizes[1:]) * width, int(rng.integers(10**9))
        found = impl.inference.kv_cache_bytes(*sizes, dtype)
        expect(found, f"bytes of {sizes} in {dtype}").equals(sizes[0] * each)
        for extra, fit in ((0, sizes[0]), (-1, sizes[0] - 1), (each - 1, sizes[0])):
            memory = weights + sizes[0] * each + extra
            found = impl.inference.largest_cached_batch(memory, weights, *sizes[1:], dtype)
            what = f"sequences of {sizes[1:]} in {dtype} beside {weights} of {memory} bytes"
            expect(found, what).equals(fit, hint="use // and exact ints")
    for dtype, fit in ((torch.float4_e2m1fn_x2, 20), (BF16, 10), (torch.float32, 5)):
        expect(impl.inference.kv_cache_bytes(1, 1, 1, 1, 1, dtype)).equals(2 * dtype.itemsize)
        found = impl.inference.largest_cached_batch(40, 0, 1, 1, 1, 1, dtype)
        expect(found, f"sequences of one token in 40 B, in {dtype}").equals(fit)
    found = impl.inference.largest_cached_batch(2**62 - 1, 0, 1, 1, 1, 1, torch.int8)
    expect(found, "sequences of 2 B in 2⁶² - 1 B").equals(2**61 - 1)


SMALL_LATENT = {"d_model": 10, "heads": 2, "kv_rank": 4, "nope_dim": 3, "rope_dim": 1}
SMALL_LATENT |= {"value_dim": 5}
DEEPSEEK = {"d_model": 7168, "heads": 128, "query_rank": 1536, "kv_rank": 512, "nope_dim": 128}
DEEPSEEK |= {"rope_dim": 64, "value_dim": 128, "context": 4096}


@pytest.mark.exercise("attention_variants")
def test_windows_of_two_layers(impl):
    """At 6 tokens a window of 2 keeps 2 tokens, a window of 8 and a layer without one keep 6"""
    sizes = {"d_model": 5, "heads": 4, "kv_heads": 2, "head_dim": 3}
    for windows, parameters, tokens in (
        ([None], 180, 6),
        ([2], 180, 2),
        ([8], 180, 6),
        ([2, None], 360, 8),
    ):
        found = impl.inference.windowed_attention(**sizes, windows=windows, context=6)
        flops = 2 * parameters + tokens * 48
        expect(found, f"what layers with the windows {windows} take").equals(
            {"parameters": parameters, "cached": tokens * 12, "flops": flops},
            hint="a layer has 5·12, 5·6, 5·6 and 12·5 parameters; a token's keys and values have "
            "2·6 elements; 4 queries take 2·3 FLOPs for a key, and as many for a value",
        )


@pytest.mark.exercise("attention_variants")
def test_published_windows(impl):
    """Windows leave Mistral 7B 1/8 of its cache at 32,768 tokens, Gemma 3 27B 19 %, gpt-oss 50 %"""
    for name, sizes, windows, parameters, tokens in (
        ("Mistral 7B", (4096, 32, 8, 128), 32 * [4096], 1_342_177_280, 131_072),
        (
            "Gemma 3 27B",
            (5376, 32, 16, 128),
            10 * [*5 * [1024], None] + 2 * [1024],
            4_095_737_856,
            380_928,
        ),
        ("gpt-oss-120b", (2880, 64, 8, 64), 18 * [128, None], 955_514_880, 592_128),
    ):
        named = dict(zip(("d_model", "heads", "kv_heads", "head_dim"), sizes, strict=True))
        found = impl.inference.windowed_attention(**named, windows=windows, context=32768)
        _, heads, kv_heads, head_dim = sizes
        expected = {"parameters": parameters, "cached": 2 * tokens * kv_heads * head_dim}
        expected["flops"] = 2 * parameters + 4 * tokens * heads * head_dim
        expect(found, f"what {name} takes").equals(expected)


@pytest.mark.exercise("attention_variants")
def test_random_windows(impl, rng):
    """Layers keep what a queue of w tokens keeps; counts are exact ints of any size"""
    for i in range(12):
        d_model, kv_heads, shared, head_dim = (
            int(n) + i % 2 * 2**40 for n in rng.integers(2, 100, size=4)
        )
        heads, context = kv_heads * shared, int(rng.integers(2, 40))
        windows = [
            None,
            context,
            1,
            context - 1,
            context + 1,
            *rng.integers(1, 60, size=3).tolist(),
        ]
        windows = [windows[n] for n in rng.permutation(8)[: 1 + i % 8]]
        tokens = sum(len(deque(range(context), maxlen=window)) for window in windows)
        parameters = len(windows) * 2 * (d_model * heads * head_dim + d_model * kv_heads * head_dim)
        sizes = {"d_model": d_model, "heads": heads, "kv_heads": kv_heads, "head_dim": head_dim}
        found = impl.inference.windowed_attention(**sizes, windows=windows, context=context)
        expect(found, f"what {sizes} take with the windows {windows} at {context} tokens").equals(
            {
                "parameters": parameters,
                "cached": tokens * (kv_heads * head_dim + kv_heads * head_dim),
                "flops": 2 * parameters + tokens * heads * (2 * head_dim + 2 * head_dim),
            }
        )


@pytest.mark.exercise("attention_variants")
def test_a_small_latent_attention(impl):
    """With latents of 4 and shared keys of 1, three tokens keep 15 elements"""
    counts = {"parameters": 294, "cached": 15, "expanded_flops": 952, "absorbed_flops": 696}
    expect(impl.inference.latent_attention(**SMALL_LATENT, context=3)).equals(
        counts,
        hint="queries 10·8; latent and key 10·5; of a latent 4·6 and 4·10; back 10·10. Expanded: "
        "the 64 in the middle meet 3 tokens, heads have keys of 4, values of 5. Absorbed: they "
        "meet one token; keys have 4 + 1, values 4",
    )
    expect(impl.inference.latent_attention(**SMALL_LATENT, context=3, query_rank=6)).equals(
        {"parameters": 322, "cached": 15, "expanded_flops": 1008, "absorbed_flops": 752},
        hint="queries now take 10·6 and 6·8",
    )


@pytest.mark.exercise("attention_variants")
def test_latents_of_deepseek(impl):
    """A layer of DeepSeek-V3 keeps 576 elements of a token; expanding takes 91 times the FLOPs"""
    expect(impl.inference.latent_attention(**DEEPSEEK)).equals(
        {
            "parameters": 187_105_280,
            "cached": 4096 * 576,
            "expanded_flops": 138_115_153_920,
            "absorbed_flops": 1_515_061_248,
        },
    )


@pytest.mark.exercise("attention_variants")
def test_random_latents(impl, rng):
    """Each matrix and each product counts with its own sizes, with and without a query rank"""
    for i in range(12):
        d_model, heads, rank, nope, rope, value, context, query_rank = (
            int(n) + i % 2 * 2**40 for n in rng.permutation(np.arange(2, 80))[:8]
        )
        sizes = {"d_model": d_model, "heads": heads, "kv_rank": rank, "nope_dim": nope}
        sizes |= {"rope_dim": rope, "value_dim": value, "context": context}
        matrices = [d_model * (rank + rope), heads * value * d_model]
        if i % 4 < 2:
            sizes["query_rank"] = query_rank
            matrices += [d_model * query_rank, query_rank * heads * (nope + rope)]
        else:
            matrices.append(d_model * heads * (nope + rope))
        of_latents = rank * heads * nope + rank * heads * value
        expanded = sum(matrices) + of_latents * context
        expanded += context * heads * (nope + rope) + context * heads * value
        absorbed = sum(matrices) + of_latents
        absorbed += context * heads * (rank + rope) + context * heads * rank
        expect(impl.inference.latent_attention(**sizes), f"what {sizes} take").equals(
            {
                "parameters": sum(matrices) + of_latents,
                "cached": context * rank + context * rope,
                "expanded_flops": 2 * expanded,
                "absorbed_flops": 2 * absorbed,
            }
        )


@pytest.mark.exercise("prefill_decode_flops")
def test_prefill_of_a_prompt(impl):
    """Prefill of 4096 tokens takes 5.6e14 FLOPs with weights, 4.4e13 in attention, 6e14 in total"""
    parts = {"weights": 560_751_454_453_760, "attention": 43_980_465_111_040}
    expect(impl.inference.prefill_flops(**LLAMA, prompt=4096)).equals(
        {**parts, "total": 604_731_919_564_800},
        hint="the lm_head multiplies only the last token; all 4096 × 4096 scores count; the total "
        "is the sum of both",
    )


@pytest.mark.exercise("prefill_decode_flops")
def test_one_step_of_decode(impl):
    """A token at 4096 takes 1.37e11 FLOPs with weights and 1.1e10 in attention: 1.48e11"""
    expect(impl.inference.decode_flops(**LLAMA, context=4096)).equals(
        {
            "weights": 2 * 68_713_185_280,
            "attention": 10_737_418_240,
            "total": 148_163_788_800,
        },
        hint="one token meets every matrix, and the keys and values of 4096 tokens",
    )


@pytest.mark.exercise("prefill_decode_flops")
def test_a_prompt_of_one_token(impl):
    """Prefill of one token is a decode step with a context of one; other forms have two matrices"""
    small = {"vocab": 10, "layers": 1, "d_model": 4, "heads": 2, "d_ff": 6, "gated": False}
    found = impl.inference.prefill_flops(**small, prompt=1, batch=3)
    expect(found, "prefill").equals({"weights": 912, "attention": 48, "total": 960})
    found = impl.inference.decode_flops(**small, context=1, batch=3)
    expect(found, "decode").equals({"weights": 912, "attention": 48, "total": 960})


@pytest.mark.exercise("prefill_decode_flops")
def test_random_decoders(impl, rng):
    """FLOPs of any decoder are exact ints, however large it is; sizes may be 0"""
    for i in range(20):
        vocab, layers, d_ff, tokens, batch, width = (
            int(n) + (0, 2**54, 2**25)[i % 3] for n in rng.integers(1, 1000, size=6)
        )
        tokens, gated = (1 if i == 4 else tokens), i % 4 > 0
        batch, layers = (0 if i == 0 else batch), (0 if i == 2 else layers)
        shape = {"vocab": vocab, "layers": layers, "d_model": 49 * width, "d_ff": d_ff}
        shape |= {"heads": 49, "kv_heads": 7, "batch": batch, "gated": gated}
        inner = layers * 49 * width * (98 * width + 14 * width + (2 + gated) * d_ff)
        for call, name, new in [
            (impl.inference.prefill_flops, "prompt", tokens),
            (impl.inference.decode_flops, "context", 1),
        ]:
            weights = 2 * batch * (new * inner + 49 * width * vocab)
            attention = 4 * batch * layers * new * tokens * 49 * width
            expect(call(**shape, **{name: tokens}), f"{shape} with {name}={tokens}").equals(
                {"weights": weights, "attention": attention, "total": weights + attention}
            )


@pytest.mark.exercise("decode_roofline")
def test_intensities_of_a_step(impl):
    """In decode, weights have as many FLOP/B in bf16 as there are sequences, attention has 8"""
    intensity = impl.inference.step_intensity
    expect(intensity(16, 1, 64, 8, 2, 2), "decode").close(
        {"weights": 16.0, "attention": 8.0},
        rtol=1e-12,
        hint="weights: 2 FLOPs for each token, 2 bytes; attention: 8 query heads share a key",
    )
    expect(intensity(1, 4096, 64, 8, 2, 2), "prefill").close(
        {"weights": 4096.0, "attention": 32768.0}, rtol=1e-12
    )
    expect(intensity(16, 1, 64, 8, 0.5, 1), "4-bit weights, 8-bit cache").close(
        {"weights": 64.0, "attention": 16.0}, rtol=1e-12
    )
    expect(intensity(3, 4, 6, 2, 2, 1), "three prompts of 4 tokens").close(
        {"weights": 12.0, "attention": 24.0}, rtol=1e-12
    )


@pytest.mark.exercise("decode_roofline")
def test_speed_of_decode(impl):
    """On eight H100, 16 sequences get 2,699 tokens/s together, and 374 get 14,828"""
    found = impl.inference.decode_step(batch=16, **STEP)
    seconds = {"weights": 5.127850e-3, "attention": 8.012999e-4, "seconds": 5.929150e-3}
    expect(found, "16 sequences").close(
        {**seconds, "tokens_per_second": 2698.532},
        rtol=1e-6,
        hint="each part takes the longer of its compute and its traffic, here the traffic",
    )
    found = impl.inference.decode_step(batch=374, **STEP)["tokens_per_second"]
    expect(found, "374 sequences").close(
        14827.594, rtol=1e-6, hint="here the weights' part is bound by compute"
    )


@pytest.mark.exercise("decode_roofline")
def test_batch_that_is_bound_by_compute(impl, rng):
    """Weights are bound by compute from the first batch that is enough, 296 on an H100 in bf16"""
    expect(impl.inference.compute_bound_batch(2, **H100)).equals(
        296, hint="an H100 computes 295.37 FLOPs a byte; 295 sequences need only 295"
    )
    for _ in range(10):
        n, share = int(rng.integers(1, 5000)), float(rng.uniform(0.01, 0.99))
        width, bandwidth = float(rng.uniform(0.5, 4)), float(rng.uniform(1e11, 1e13))
        numbers = (width, (n - share) * 2 * bandwidth / width, bandwidth)
        expect(impl.inference.compute_bound_batch(*numbers), f"batch for {numbers}").equals(
            n, hint=f"{n - share} sequences have the accelerator's intensity"
        )


@pytest.mark.exercise("decode_roofline")
def test_random_steps(impl, rng):
    """Parts, their sum and tokens/s are right on accelerators of any speed"""
    for i in range(20):
        batch, context, parameters, layers, head_dim = (
            int(n) for n in rng.integers(1, 10**6, size=5)
        )
        kv_heads, shared = (int(n) for n in rng.integers(1, 9, size=2))
        width, cached = (float(n) for n in rng.uniform(0.5, 4, size=2))
        width = 0.2 if i % 4 == 2 else width  # bytes; 1.6 bits
        # Accelerators on both sides of the attention's intensity, then of the weights'.
        near = 2 * shared / cached if i % 4 < 2 else 2 * batch / width
        bandwidth = float(rng.uniform(1, 1e6)) * 10.0 ** int(rng.choice([-18, 0, 30]))
        peak = bandwidth * near * float(rng.uniform(*((0.2, 0.8) if i % 2 else (1.25, 5))))
        keys = batch * context * layers * kv_heads * head_dim
        weights = max(2 * batch * parameters / peak, parameters * width / bandwidth)
        attention = max(4 * keys * shared / peak, 2 * keys * cached / bandwidth)
        sizes = {"batch": batch, "context": context, "parameters": parameters, "layers": layers}
        sizes |= {"heads": kv_heads * shared, "kv_heads": kv_heads, "head_dim": head_dim}
        sizes |= {"bytes_per_weight": width, "bytes_per_cached": cached}
        found = impl.inference.decode_step(**sizes, peak_flops=peak, bandwidth=bandwidth)
        seconds = weights + attention
        expected = {"weights": weights, "attention": attention, "seconds": seconds}
        expect(found).close(
            {**expected, "tokens_per_second": batch / seconds},
            rtol=1e-12,
            hint="all heads compute; the cache of the key heads is moved, the new token included",
        )
