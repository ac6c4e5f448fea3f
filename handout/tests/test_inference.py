"""Inference, with the numbers of Llama 2 70B on eight H100."""

import pytest
import torch

from assignment.expect import expect

BF16 = torch.bfloat16
LLAMA = {"vocab": 32000, "layers": 80, "d_model": 8192, "heads": 64, "kv_heads": 8, "d_ff": 28672}
WEIGHTS = 137_953_296_384  # bytes in bf16
H100 = {"peak_flops": 989.5e12, "bandwidth": 3.35e12}  # dense bfloat16
STEP = {
    "context": 4096,
    "parameters": 68_713_185_280,
    "layers": 80,
    "heads": 64,
    "kv_heads": 8,
    "head_dim": 128,
    "bytes_per_weight": 2,
    "bytes_per_cached": 2,
    "peak_flops": 8 * 989.5e12,
    "bandwidth": 8 * 3.35e12,
}


@pytest.mark.exercise("kv_cache")
def test_cache_of_a_token(impl):
    """Llama 2 70B keeps 327,680 bytes for a token, with 64 key heads it would be 2,621,440"""
    expect(impl.inference.kv_cache_bytes(1, 1, 80, 8, 128, BF16), "with 8 key heads").equals(
        327_680, hint="a key and a value, in each of 80 layers, for each of 8 heads"
    )
    expect(impl.inference.kv_cache_bytes(1, 1, 80, 64, 128, BF16), "with 64").equals(2_621_440)
    expect(impl.inference.kv_cache_bytes(16, 4096, 80, 8, 128, BF16), "16 sequences").equals(
        21_474_836_480, hint="every sequence has its own cache"
    )


@pytest.mark.exercise("kv_cache")
def test_sequences_beside_the_weights(impl):
    """Beside Llama 2 70B, eight devices of 80 GB hold 374 sequences of 4096 tokens"""
    shape = (4096, 80, 8, 128, BF16)
    expect(impl.inference.largest_batch(640 * 10**9, WEIGHTS, *shape)).equals(
        374, hint="divide what the weights leave by the cache of one sequence, rounded down"
    )
    expect(impl.inference.largest_batch(WEIGHTS, WEIGHTS, *shape)).equals(0)
    with pytest.raises(ValueError):
        impl.inference.largest_batch(80 * 10**9, WEIGHTS, *shape)


@pytest.mark.exercise("kv_cache")
def test_cache_of_nothing(impl):
    """A cache without tokens takes 0 bytes, and then no batch would be too large"""
    expect(impl.inference.kv_cache_bytes(4, 0, 2, 2, 8, BF16)).equals(0)
    with pytest.raises(ValueError):
        impl.inference.largest_batch(100, 50, 0, 2, 2, 8, BF16)
    with pytest.raises(ValueError):
        impl.inference.kv_cache_bytes(0, -1, 2, 2, 8, BF16)


@pytest.mark.exercise("prefill_decode_flops")
def test_prefill_of_a_prompt(impl):
    """Prefill of 4096 tokens takes 5.6e14 FLOPs with weights, and 4.4e13 in attention"""
    expect(impl.inference.prefill_flops(**LLAMA, prompt=4096)).equals(
        {
            "weights": 560_751_454_453_760,
            "attention": 43_980_465_111_040,
            "total": 604_731_919_564_800,
        },
        hint="the lm_head multiplies only the last token; all 4096 × 4096 scores count",
    )


@pytest.mark.exercise("prefill_decode_flops")
def test_one_step_of_decode(impl):
    """A token at 4096 takes 1.4e11 FLOPs with weights, two for each, and 1.1e10 in attention"""
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
    with pytest.raises(ValueError):
        impl.inference.decode_flops(**small, context=0)


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


@pytest.mark.exercise("decode_roofline")
def test_speed_of_decode(impl):
    """On eight H100, 16 sequences get 2,698 tokens/s together, and 374 get 14,828"""
    found = impl.inference.decode_step(batch=16, **STEP)
    expect(found, "16 sequences").close(
        {
            "weights": 5.127850e-3,
            "attention": 8.012999e-4,
            "seconds": 5.929150e-3,
            "tokens_per_second": 2698.532,
        },
        rtol=1e-6,
        hint="here both parts wait for memory, and they do not overlap",
    )
    found = impl.inference.decode_step(batch=374, **STEP)["tokens_per_second"]
    expect(found, "374 sequences").close(
        14827.594, rtol=1e-6, hint="here the weights' part is bound by compute"
    )
    with pytest.raises(ValueError):
        impl.inference.decode_step(batch=0, **STEP)


@pytest.mark.exercise("decode_roofline")
def test_batch_that_is_bound_by_compute(impl):
    """On an H100 in bf16 the weights' part is bound by compute from 296 sequences on"""
    expect(impl.inference.compute_bound_batch(2, **H100)).equals(
        296, hint="its intensity reaches 295.37 FLOP/B"
    )
    expect(impl.inference.compute_bound_batch(0.65625, 1472.0, 21.0)).equals(
        23, hint="exactly 23; an error in a float's last bit can make ceil one too large"
    )
    with pytest.raises(ValueError):
        impl.inference.compute_bound_batch(2, 0.0, 1.0)
