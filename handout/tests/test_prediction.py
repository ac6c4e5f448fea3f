"""Predicted steps: GPT-2's, the one that `make predict` runs, and small ones, measured."""

import math
from dataclasses import asdict, replace

import pytest

from assignment.expect import expect
from assignment.material.small_transformer import GPT2, SMALL, Sizes
from assignment.material.step_counts import FULL, PART, count_step

DEVICE = {"peak_flops": 67e12, "bandwidth": 3.35e12}  # an H100 in float32, without TF32


def predict(impl, sizes):
    found = expect(impl.prediction.predict_step(**asdict(sizes), **DEVICE)).is_a(dict)
    names = ["parameters", "flops", "peak_bytes", "seconds"]
    expect([name for name in names if name in found], "the prediction's entries").equals(names)
    return found


@pytest.mark.exercise("predict_step")
def test_gpt2_has_124_million_parameters(impl):
    """GPT-2's smallest model has 124,439,808 parameters; untied it would have 163,037,184"""
    expect(predict(impl, GPT2)["parameters"], "parameters").equals(
        124_439_808,
        hint="count matrix by matrix: heads share the width; biases and positions count, too",
    )
    expect(predict(impl, replace(GPT2, tied=False))["parameters"], "untied").equals(163_037_184)


@pytest.mark.exercise("predict_step")
def test_flops_of_two_steps(impl):
    """The step of `make predict` takes 35,433,480,192 FLOPs, GPT-2's 6,999,559,372,800"""
    expect(predict(impl, SMALL)["flops"], "FLOPs").equals(
        35_433_480_192,
        hint="count product by product, forward and backward, the lm_head's and attention's, too",
    )
    expect(predict(impl, GPT2)["flops"], "FLOPs of GPT-2").equals(6_999_559_372_800)


@pytest.mark.exercise("predict_step")
def test_peak_bytes_of_two_steps(impl):
    """The step of `make predict` needs 292.6e6 bytes at its peak, GPT-2's 16.15e9"""
    for sizes, peak, what in ((SMALL, 292_612_316, "peak bytes"), (GPT2, 16_150_568_536, "GPT-2")):
        expect(predict(impl, sizes)["peak_bytes"], what).close(
            peak,
            rtol=FULL["peak_bytes"],
            hint="both peaks are at the loss, when no gradient exists",
        )


@pytest.mark.exercise("predict_step")
@pytest.mark.parametrize(
    "sizes",
    [
        Sizes(
            vocab=2048, context=9, layers=1, d_model=128, heads=2, d_ff=128, tied=True, batch=900
        ),
        Sizes(vocab=9, context=8, layers=2, d_model=64, heads=4, d_ff=512, tied=False, batch=999),
        Sizes(vocab=9, context=512, layers=1, d_model=64, heads=8, d_ff=32, tied=True, batch=3),
        Sizes(vocab=99, context=8, layers=3, d_model=512, heads=8, d_ff=999, tied=False, batch=1),
        Sizes(vocab=2, context=4, layers=1, d_model=128, heads=1, d_ff=32, tied=False, batch=9000),
        Sizes(vocab=2, context=8, layers=1, d_model=128, heads=1, d_ff=3840, tied=False, batch=32),
        Sizes(vocab=2, context=2048, layers=2, d_model=16, heads=1, d_ff=16, tied=False, batch=1),
        Sizes(vocab=2, context=2048, layers=1, d_model=16, heads=1, d_ff=16, tied=False, batch=8),
        Sizes(vocab=5120, context=2, layers=1, d_model=128, heads=1, d_ff=99, tied=True, batch=1),
    ],
    ids=[
        *("loss", "feed-forward", "attention", "optimizer", "lm_head"),
        *("feed-forward with its gradients", "attention with the mask"),
        *("one mask for all sequences", "tied embedding"),
    ],
)
def test_the_peak_is_elsewhere_for_other_sizes(impl, sizes):
    """The peak of the step is found where sizes move it: {case}"""
    peak, found = count_step(sizes).peak_bytes, predict(impl, sizes)["peak_bytes"]
    expect(found, "peak bytes, roughly").close(peak, rtol=PART["peak_bytes"])
    expect(found, "peak bytes").close(peak, rtol=FULL["peak_bytes"])


@pytest.mark.exercise("predict_step")
def test_random_models(impl, rng):
    """Parameters and FLOPs of random models are exact, with a shared embedding or without"""
    for tied in (True, False):
        heads, width = (int(n) for n in rng.integers(1, 9, size=2))
        most = {"vocab": 999, "context": 99, "layers": 4, "d_ff": 999, "batch": 9}
        drawn = {name: int(rng.integers(1, high)) for name, high in most.items()}
        sizes = Sizes(**drawn, d_model=heads * width, heads=heads, tied=tied)
        counts, found = count_step(sizes), predict(impl, sizes)
        expect(found["parameters"], f"parameters of {sizes}").equals(counts.parameters)
        expect(found["flops"], f"FLOPs of {sizes}").equals(counts.flops)


@pytest.mark.exercise("predict_step")
def test_sizes_have_no_limit(impl):
    """Counts of 10^18 tokens in the vocabulary, or of 10^12 layers, are exact and take no time"""
    sizes = Sizes(vocab=1, context=4, layers=1, d_model=64, heads=2, d_ff=9, tied=True, batch=2)
    for name, size in (("vocab", 10**18), ("layers", 10**12)):
        one, two = (count_step(replace(sizes, **{name: n})) for n in (1, 2))
        found = predict(impl, replace(sizes, **{name: size}))
        for what in ("parameters", "flops"):
            first, second = getattr(one, what), getattr(two, what)
            expect(found[what], f"{what} with {name}={size}").equals(
                first + (size - 1) * (second - first), hint="each one adds as much as the first"
            )


@pytest.mark.exercise("predict_step")
def test_seconds_follow_the_device(impl):
    """Your seconds are no less than your FLOPs / peak, and half on a device twice as fast"""
    found = predict(impl, SMALL)
    least = found["flops"] / DEVICE["peak_flops"]
    assert least <= found["seconds"] < math.inf, f"{found['seconds']} s for {least} s at the peak"
    faster = {name: 2 * number for name, number in DEVICE.items()}
    half = impl.prediction.predict_step(**asdict(SMALL), **faster)["seconds"]
    expect(half, "seconds on a device twice as fast").close(found["seconds"] / 2, rtol=1e-9)
