"""Inference, with the numbers of Llama 2 70B on eight H100."""

import math
from fractions import Fraction

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
NO_DTYPES = [(TypeError, "bfloat16"), (TypeError, 2), (TypeError, None), (ValueError, torch.uint4)]
NO_DTYPES.append((TypeError, torch.zeros(1)))  # a tensor has an itemsize too
DECODER = {"vocab": 7, "layers": 2, "d_model": 24, "heads": 6, "kv_heads": 3, "d_ff": 5, "batch": 2}
NO_DECODERS = [
    *({"vocab": -1}, {"layers": -1}, {"d_model": -24}, {"d_ff": -1}, {"batch": -1}),
    *({"layers": -1, "batch": -1}, {"layers": 0, "d_ff": -1}, {"layers": 0, "heads": 5}),
    *({"heads": 0}, {"heads": -6, "kv_heads": -3}, {"heads": -6}, {"heads": 5, "kv_heads": 5}),
    *({"kv_heads": 0}, {"kv_heads": -3}, {"kv_heads": 4}, {"kv_heads": 12}),
    {"batch": 0, "heads": 5},
    {"d_model": 6 * 2**60 + 1},  # no float tells it from a multiple of 6
]


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
    expect(impl.inference.largest_cached_batch(640 * 10**9, WEIGHTS, *shape)).equals(
        374, hint="divide what the weights leave by the cache of one sequence, rounded down"
    )
    expect(impl.inference.largest_cached_batch(WEIGHTS, WEIGHTS, *shape)).equals(0)
    with pytest.raises(ValueError):
        impl.inference.largest_cached_batch(80 * 10**9, WEIGHTS, *shape)


@pytest.mark.exercise("kv_cache")
def test_cache_of_nothing(impl):
    """A cache without tokens takes 0 bytes, and then no batch would be too large"""
    expect(impl.inference.kv_cache_bytes(4, 0, 2, 2, 8, BF16)).equals(0)
    with pytest.raises(ValueError):
        impl.inference.largest_cached_batch(100, 50, 0, 2, 2, 8, BF16)
    with pytest.raises(ValueError):
        impl.inference.kv_cache_bytes(0, -1, 2, 2, 8, BF16)


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


@pytest.mark.exercise("kv_cache")
def test_refuses_what_is_no_cache(impl):
    """Negative sizes, no dtypes, dtypes of less than a byte, and negative weights are refused"""
    cache, batch = impl.inference.kv_cache_bytes, impl.inference.largest_cached_batch
    expect(cache(5, 4, 3, 2, 1, BF16), "bytes").equals(480)
    expect(batch(1000, 40, 4, 3, 2, 1, BF16), "sequences").equals(10)
    for i in range(5):
        for other in (0, 3, -2):
            sizes = [3, 3, 3, 3, 3]
            sizes[i], sizes[i - 1] = -1, other
            with pytest.raises(ValueError):
                cache(*sizes, BF16)
            for weights in (40, 1000):
                if i:
                    with pytest.raises(ValueError):
                        batch(1000, weights, *sizes[1:], BF16)
    for memory, weights in ((1000, -1), (1000, 1001), (-2, -3)):
        with pytest.raises(ValueError):
            batch(memory, weights, 4, 3, 2, 1, BF16)
    for error, dtype in NO_DTYPES:
        for number, tokens in ((5, 0), (5, 4), (0, 4)):
            with pytest.raises(error):
                cache(number, tokens, 3, 2, 1, dtype)
        for weights in (40, 1000):
            with pytest.raises(error):
                batch(1000, weights, 4, 3, 2, 1, dtype)
    for weights in (40, 1000):
        with pytest.raises(ValueError):
            batch(1000, weights, 4, 0, 2, 1, BF16)


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
                {"weights": weights, "attention": attention, "total": weights + attention},
                hint="use exact ints",
            )


@pytest.mark.exercise("prefill_decode_flops")
def test_refuses_what_is_no_decoder(impl):
    """Negative sizes, heads that do not divide, and sequences without tokens are refused"""
    prefill, decode = impl.inference.prefill_flops, impl.inference.decode_flops
    found = prefill(**DECODER, prompt=3)
    expect(found, "prefill").equals({"weights": 50_784, "attention": 3456, "total": 54_240})
    found = decode(**DECODER, context=3)
    expect(found, "decode").equals({"weights": 17_376, "attention": 1152, "total": 18_528})
    for call, name in ((prefill, "prompt"), (decode, "context")):
        for bad in NO_DECODERS:
            with pytest.raises(ValueError):
                call(**{**DECODER, **bad, name: 3})
        for batch in (2, 0):
            for tokens in (0, -1):
                with pytest.raises(ValueError):
                    call(**{**DECODER, "batch": batch, name: tokens})


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
    """On eight H100, 16 sequences get 2,699 tokens/s together, and 374 get 14,828"""
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


@pytest.mark.exercise("decode_roofline")
def test_random_steps(impl, rng):
    """Each part of a step takes the longer of its compute and its traffic"""
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
        found = impl.inference.decode_step(
            batch=batch,
            context=context,
            parameters=parameters,
            layers=layers,
            heads=kv_heads * shared,
            kv_heads=kv_heads,
            head_dim=head_dim,
            bytes_per_weight=width,
            bytes_per_cached=cached,
            peak_flops=peak,
            bandwidth=bandwidth,
        )
        seconds = weights + attention
        expected = {"weights": weights, "attention": attention, "seconds": seconds}
        expect(found).close(
            {**expected, "tokens_per_second": batch / seconds},
            rtol=1e-12,
            hint="attention computes with all heads, and moves the cache of the key heads",
        )


@pytest.mark.exercise("decode_roofline")
def test_batches_of_exact_numbers(impl, rng):
    """A batch is compared exactly, with what the floats hold: 0.1 is a little more than 1/10"""
    batch, up = impl.inference.compute_bound_batch, math.inf
    for _ in range(10):
        k = 2 ** int(rng.integers(1, 20))
        expect(batch(2, float(k), 1.0), f"batch for {k} FLOP/B").equals(k)
        expect(batch(2, math.nextafter(k, up), 1.0), f"a little more than {k} FLOP/B").equals(k + 1)
        expect(batch(0.1, 20.0 * k, 1.0), "0.1 bytes for a weight").equals(k + 1)
        width, peak = math.nextafter(1.0, up), 2 * k * math.nextafter(1.0, up)
        numbers = (width, peak, width * width)
        product = Fraction(width) * Fraction(peak) / Fraction(2 * width * width)
        expect(batch(*numbers), f"batch for {numbers}").equals(
            math.ceil(product), hint="a product of floats is rounded, one of fractions is not"
        )
    for numbers in [
        *((2, n, n / 10) for n in (1.0, 3.0, 7.0, 10.0)),  # the same quotient, once rounded
        *((2, 1e15, 3.0), (2, 1e300, 7e-300), (5e-324, 1e300, 0.1), (3.0, 5e-324, 1e300)),
    ]:
        width, peak, bandwidth = map(Fraction, numbers)
        expect(batch(*numbers), f"batch for {numbers}").equals(
            math.ceil(width * peak / bandwidth / 2), hint="floats may be of any size"
        )


@pytest.mark.exercise("decode_roofline")
def test_refuses_steps_that_cannot_be(impl):
    """Numbers that are 0, negative or nan, and key heads that do not divide heads, are refused"""
    intensity, step = impl.inference.step_intensity, impl.inference.decode_step
    batch = impl.inference.compute_bound_batch
    good = [3, 4, 6, 2, 2.0, 1.0]
    expect(intensity(*good)).close({"weights": 12.0, "attention": 24.0}, rtol=1e-12)
    expect(step(batch=16, **STEP)["seconds"]).close(5.929150e-3, rtol=1e-6)
    expect(batch(2.0, 8.0, 4.0)).equals(2)
    nan = float("nan")
    for i in range(6):
        for number in (0, -good[i], nan) if i > 3 else (0, -good[i]):
            with pytest.raises(ValueError):
                intensity(*good[:i], number, *good[i + 1 :])
    for pair in ((0, 4), (2, 3)):  # where two signs cancel
        with pytest.raises(ValueError):
            intensity(*(-n if i in pair else n for i, n in enumerate(good)))
    for heads, kv_heads in ((6, 4), (3, 6)):
        with pytest.raises(ValueError):
            intensity(3, 4, heads, kv_heads, 2.0, 1.0)
        with pytest.raises(ValueError):
            step(**{**STEP, "batch": 16, "heads": heads, "kv_heads": kv_heads})
    for name in ("batch", *STEP):
        wide = name.startswith("bytes") or name in ("peak_flops", "bandwidth")
        for number in (0, -1, nan) if wide else (0, -1):
            with pytest.raises(ValueError):
                step(**{"batch": 16, **STEP, name: number})
    for numbers in [(0, 8.0, 4.0), (2, -8.0, -4.0), (-2, 8.0, -4.0), (2, nan, 4.0), (2, 8.0, nan)]:
        with pytest.raises(ValueError):
            batch(*numbers)
    with pytest.raises(ValueError):
        batch(nan, 8.0, 4.0)
