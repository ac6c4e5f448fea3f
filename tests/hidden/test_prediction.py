"""Predicted steps, compared with steps that run on the meta device.

Each test also asks for a model of so many layers that nobody can build it, on the meta device
neither. Every layer adds as many parameters, FLOPs and bytes as the one before it, so the truth
follows from one and two layers.
"""

from dataclasses import asdict, replace
from functools import cache
from itertools import combinations

import pytest

from assignment.expect import expect
from assignment.small_transformer import Sizes
from assignment.step_counts import FULL, PART, count_parameters, count_step

DEVICE = {"peak_flops": 67e12, "bandwidth": 3.35e12}


def between(rng, low, high):
    return int(rng.integers(low, high + 1))


def drawn(rng, **fixed):
    """Sizes of a model, at random but for those that are given; `d_model` follows from heads."""
    heads = fixed.get("heads", between(rng, 1, 8))
    sizes = {
        "vocab": between(rng, 2, 5000),
        "context": between(rng, 2, 300),
        "layers": between(rng, 1, 3),
        "d_model": heads * between(rng, 1, 40),
        "heads": heads,
        "d_ff": between(rng, 1, 999),
        "tied": bool(rng.integers(2)),
        "batch": between(rng, 1, 9),
    }
    return Sizes(**{**sizes, **fixed})


def wide(rng):
    """Sizes of a model whose layers' matrices are nearly all of it."""
    width = 64 * between(rng, 8, 16)
    return drawn(
        rng,
        vocab=width // between(rng, 2, 4),
        context=width // between(rng, 32, 64),
        layers=2,
        heads=8,
        d_model=width,
        d_ff=between(rng, width, 4 * width),
        batch=between(rng, 2, 99),
    )


def predicted(impl, sizes, what):
    """One value of the prediction for a model and its batch."""
    found = impl.prediction.predict_step(**asdict(sizes), **DEVICE)
    expect(found).is_a(dict)
    expect(what in found, f"the prediction has {what!r}").equals(True)
    return found[what]


def deepened(rng, sizes, count):
    """The same model with very many layers, and what `count` would find for it."""
    one, two = (count(replace(sizes, layers=layers)) for layers in (1, 2))
    layers = between(rng, 10**11, 10**12)
    return replace(sizes, layers=layers), one + (layers - 1) * (two - one)


def widened(rng, sizes, count):
    """The same model, far wider than can be built. In its width the truth is a square function."""
    heads = sizes.heads
    one, two, three = (count(replace(sizes, d_model=n * heads)) for n in (1, 2, 3))
    n = between(rng, 2**60, 2**61)
    bend = (n - 1) * (n - 2) // 2 * (three - 2 * two + one)
    return replace(sizes, d_model=n * heads), one + (n - 1) * (two - one) + bend


@cache
def counted(sizes):
    return count_step(sizes)


def flops_of(sizes):
    return counted(sizes).flops


def peak_of(sizes):
    return counted(sizes).peak_bytes


# --- parameters --------------------------------------------------------------


@pytest.mark.exercise("predict_step", weight=2)
def test_parameters_are_exact(impl, rng):
    """Parameters are exact ints, with a shared embedding or without, for any number of layers"""
    for i in range(16):
        sizes = drawn(rng, tied=i % 2 == 0)
        found = predicted(impl, sizes, "parameters")
        expect(found, f"parameters of {sizes}").equals(count_parameters(sizes))
    for tied in (True, False):
        sizes, parameters = deepened(rng, drawn(rng, tied=tied), count_parameters)
        expect(predicted(impl, sizes, "parameters"), f"of {sizes}").equals(parameters)
        sizes, parameters = widened(rng, drawn(rng, tied=tied), count_parameters)
        for heads in (sizes.heads, sizes.d_model):  # they have no parameters of their own
            model = replace(sizes, heads=heads)
            expect(predicted(impl, model, "parameters"), f"of {model}").equals(parameters)


# --- FLOPs -------------------------------------------------------------------


@pytest.mark.exercise("predict_step")
def test_flops_of_wide_models_are_near(impl, rng):
    """FLOPs are within 10 % where the context is short and the vocabulary small, for the width"""
    sizes = wide(rng)
    for model, flops in ((sizes, flops_of(sizes)), deepened(rng, sizes, flops_of)):
        found = predicted(impl, model, "flops")
        expect(found, f"FLOPs of {model}").close(flops, rtol=PART["flops"])


@pytest.mark.exercise("predict_step", weight=2)
def test_flops_are_exact(impl, rng):
    """FLOPs are exact ints, for long contexts, large vocabularies and any number of layers too"""
    for layers, tied in ((1, False), (1, True), (2, True)):
        sizes = drawn(rng, layers=layers, tied=tied)
        found = predicted(impl, sizes, "flops")
        expect(found, f"FLOPs of {sizes}").equals(flops_of(sizes))
    for fixed in ({"context": 4096, "vocab": 9}, {"context": 3, "vocab": 300_000}):
        sizes, flops = deepened(rng, drawn(rng, **fixed), flops_of)
        expect(predicted(impl, sizes, "flops"), f"FLOPs of {sizes}").equals(flops)
        many = replace(sizes, batch=sizes.batch * 10**9)  # each sequence takes as many
        expect(predicted(impl, many, "flops"), f"FLOPs of {many}").equals(flops * 10**9)
    sizes, flops = widened(rng, drawn(rng, layers=1), flops_of)
    expect(predicted(impl, sizes, "flops"), f"FLOPs of {sizes}").equals(flops)


# --- peak bytes --------------------------------------------------------------


def mostly_state(rng):
    """Large matrices and few tokens."""
    width = 64 * between(rng, 8, 16)
    return drawn(
        rng,
        vocab=width // between(rng, 2, 4),
        context=between(rng, 8, 16),
        layers=2,
        heads=8,
        d_model=width,
        d_ff=between(rng, 3 * width, 4 * width),
        batch=1,
    )


def mostly_activations(rng):
    """Small matrices and many tokens, and little of it logits or scores."""
    width = 16 * between(rng, 4, 8)
    return drawn(
        rng,
        vocab=between(rng, 2, 4),
        context=between(rng, 8, 12),
        layers=2,
        heads=2,
        d_model=width,
        d_ff=between(rng, 3 * width, 4 * width),
        batch=between(rng, 3000, 9000),
    )


@pytest.mark.exercise("predict_step")
def test_peaks_of_one_cause_are_near(impl, rng):
    """Peak bytes are within 25 % where state or activations of the layers are nearly all of it"""
    for sizes in (mostly_state(rng), mostly_activations(rng)):
        for model, peak in ((sizes, peak_of(sizes)), deepened(rng, sizes, peak_of)):
            found = predicted(impl, model, "peak_bytes")
            expect(found, f"peak bytes of {model}").close(peak, rtol=PART["peak_bytes"])


def corners(rng):
    """Sizes in each of which something else makes a large part of the peak.

    Letters as in `small_transformer`: D width, F width of the hidden layer, T tokens of a sequence.
    """
    D = 64 * between(rng, 2, 3)

    def model(**sizes):
        return drawn(rng, **{"vocab": 2, "layers": 1, "d_model": D, "heads": 1, **sizes})

    # The loss: its logits, and the two rows of D for each token that are left of the last layer.
    yield model(vocab=16 * D, context=9, d_ff=D, batch=900)
    yield model(vocab=D, context=between(rng, 2, 5), d_ff=D // 4, batch=9000)
    # The lm_head, of few logits.
    yield model(context=between(rng, 2, 5), d_ff=D // 4, batch=9000)
    # The last feed-forward: a wide one, a narrow one, and one with large gradients.
    yield model(context=8, d_ff=8 * D, batch=999)
    yield model(context=2, d_ff=3 * D, batch=9999)
    yield model(context=8, d_ff=30 * D, batch=D // 4)
    # The last attention: long contexts, shorter ones, the mask, and large gradients.
    yield model(heads=8, context=8 * D, d_ff=D // 4, batch=2)
    yield model(heads=4, context=D, d_ff=D, batch=40)
    yield model(layers=2, d_model=16, context=2048, d_ff=16, batch=1)
    yield model(d_model=16, context=2048, d_ff=16, batch=8)
    yield model(heads=32, context=D, d_ff=16 * D, batch=1)
    yield model(vocab=1000, d_model=64, heads=64, context=32, d_ff=32, tied=True, batch=2)
    # The embedding, which gets two gradients if it is tied, and the optimizer.
    yield model(vocab=40 * D, context=2, d_ff=D, tied=True, batch=1)
    yield model(vocab=40 * D, context=2, d_ff=D, tied=False, batch=1)
    # State and activations are as large as each other, and there are no gradients yet.
    yield model(vocab=64, layers=2, d_model=256, d_ff=1024, context=between(rng, 60, 70), batch=10)


@pytest.mark.exercise("predict_step", weight=3)
def test_peaks_are_near_whatever_causes_them(impl, rng):
    """Peak bytes are within 5 % at every moment of the step that may be the peak"""
    for sizes in corners(rng):
        found = predicted(impl, sizes, "peak_bytes")
        expect(found, f"peak bytes of {sizes}").close(peak_of(sizes), rtol=FULL["peak_bytes"])
    for sizes in (mostly_state(rng), mostly_activations(rng)):
        model, peak = deepened(rng, sizes, peak_of)
        found = predicted(impl, model, "peak_bytes")
        expect(found, f"peak bytes of {model}").close(peak, rtol=FULL["peak_bytes"])


# --- refusals ----------------------------------------------------------------


@pytest.mark.exercise("predict_step")
def test_refuses_what_no_model_has(impl, rng):
    """A size below 1, heads that do not divide the width and a device without speed are refused"""
    predict = impl.prediction.predict_step

    def is_accepted(sizes):
        found = predicted(impl, sizes, "parameters")
        expect(found, f"parameters of {sizes}").close(count_parameters(sizes), rtol=0.1)

    for name in ("vocab", "context", "layers", "d_model", "heads", "d_ff", "batch"):
        sizes = wide(rng)
        for size in (0, -1, -2 * between(rng, 1, 99)):
            with pytest.raises(ValueError):
                predict(**{**asdict(sizes), name: size}, **DEVICE)
        is_accepted(sizes)
    sizes = wide(rng)
    for first, second in combinations(asdict(sizes), 2):
        if "tied" not in (first, second):
            with pytest.raises(ValueError):
                predict(**{**asdict(sizes), first: -2, second: -2}, **DEVICE)
    with pytest.raises(ValueError):
        predict(**asdict(sizes), peak_flops=-67e12, bandwidth=-3.35e12)
    for heads, width in ((2, 513), (8, 516), (7, 520), (1024, 512), (12, 522)):
        sizes = replace(wide(rng), heads=heads, d_model=width)
        with pytest.raises(ValueError):
            predict(**asdict(sizes), **DEVICE)
        is_accepted(replace(sizes, d_model=heads * 64))
    for name in DEVICE:
        for number in (0.0, -1.0, -3.35e12, float("nan")):
            with pytest.raises(ValueError):
                predict(**asdict(wide(rng)), **{**DEVICE, name: number})
        slow = {**DEVICE, name: 1e-3}
        sizes = wide(rng)
        found = expect(predict(**asdict(sizes), **slow)).is_a(dict)
        expect(found.get("flops")).close(flops_of(sizes), rtol=0.1)
