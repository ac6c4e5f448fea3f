"""Predicted steps, compared with the reference's, which are compared with steps that ran.

That is done in `tests/harness/authoring/test_predicted_steps.py`. Here each test asks for hundreds
of models, many of which nobody can build: who counts by running a step, on the meta device too,
needs many times the time that is allowed.
"""

from dataclasses import asdict, replace

import pytest

from assignment.expect import expect
from assignment.material.small_transformer import Sizes
from assignment.material.step_counts import FULL, PART

DEVICE = {"peak_flops": 67e12, "bandwidth": 3.35e12}
MODELS = 200  # a step of one takes 20 ms or more on the meta device
NEAR = FULL["peak_bytes"] + 0.01  # the reference's peak itself is off by up to 0.7 %


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


def deep(rng, sizes):
    """The same model with very many layers."""
    return replace(sizes, layers=between(rng, 10**11, 10**12))


def vast(rng):
    """Sizes far beyond what can be built, in every direction."""
    heads = between(rng, 1, 64)
    return drawn(
        rng,
        heads=heads,
        d_model=heads * between(rng, 2**60, 2**61),  # no float holds it
        **{name: between(rng, 2**20, 2**40) for name in ("vocab", "context", "layers", "d_ff")},
        batch=between(rng, 1, 10**9),
    )


def check(later, reference, models, what, rtol=0.0, device=DEVICE):
    """Checks one value of the predictions, exactly if no tolerance is given."""
    for sizes in models:
        right = reference.prediction.predict_step(**asdict(sizes), **device)[what]

        def check_one(found, sizes=sizes, right=right):
            value = expect(found).is_a(dict).get(what)
            value = expect(value, f"{what} of {sizes}")
            value.close(right, rtol=rtol) if rtol else value.equals(right)

        later.prediction.predict_step(**asdict(sizes), **device).then(check_one)


@pytest.mark.exercise("predict_step", weight=2)
def test_parameters_are_exact(later, reference, rng):
    """Parameters are exact ints, at once, with a shared embedding or without, for any sizes"""
    models = [drawn(rng) for _ in range(MODELS)] + [vast(rng) for _ in range(MODELS)]
    # Heads have no parameters of their own.
    models += [replace(sizes, heads=sizes.d_model) for sizes in models[::9]]
    check(later, reference, models, "parameters")


# --- FLOPs -------------------------------------------------------------------


@pytest.mark.exercise("predict_step")
def test_flops_of_wide_models_are_near(later, reference, rng):
    """FLOPs are within 10 % where the context is short and the vocabulary small, for the width"""
    models = [wide(rng) for _ in range(MODELS)]
    models += [deep(rng, sizes) for sizes in models[::4]]
    check(later, reference, models, "flops", rtol=PART["flops"])


@pytest.mark.exercise("predict_step", weight=2)
def test_flops_are_exact(later, reference, rng):
    """FLOPs are exact ints, for long contexts, large vocabularies and any number of layers too"""
    models = [drawn(rng, layers=between(rng, 1, 2)) for _ in range(MODELS)]
    models += [vast(rng) for _ in range(MODELS)]
    for fixed in ({"context": 4096, "vocab": 9}, {"context": 3, "vocab": 300_000}):
        models.append(deep(rng, drawn(rng, **fixed)))
    check(later, reference, models, "flops")


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
def test_peaks_of_one_cause_are_near(later, reference, rng):
    """Peak bytes are within 25 % where state or activations of the layers are nearly all of it"""
    models = [some(rng) for some in (mostly_state, mostly_activations) for _ in range(MODELS // 2)]
    models += [deep(rng, sizes) for sizes in models[::4]]
    check(later, reference, models, "peak_bytes", rtol=PART["peak_bytes"])


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
    yield model(context=2, d_ff=4 * D, batch=9999)
    yield model(context=8, d_ff=30 * D, batch=D // 4)
    # The last attention: long contexts, shorter ones, the mask, and large gradients.
    yield model(heads=8, context=8 * D, d_ff=D // 4, batch=2)
    yield model(heads=4, context=D, d_ff=D, batch=40)
    for layers in (1, 3):
        yield model(layers=layers, d_model=16, context=2048, d_ff=16, batch=1)
    yield model(d_model=16, context=2048, d_ff=16, batch=8)
    yield model(heads=32, context=D, d_ff=16 * D, batch=1)
    yield model(vocab=1000, d_model=64, heads=64, context=32, d_ff=32, tied=True, batch=2)
    # The embedding, which gets two gradients if it is tied, and the optimizer.
    yield model(vocab=40 * D, context=2, d_ff=D, tied=True, batch=1)
    yield model(vocab=40 * D, context=2, d_ff=D, tied=False, batch=1)
    # State and activations are as large as each other, and there are no gradients yet.
    yield model(vocab=64, layers=2, d_model=256, d_ff=1024, context=between(rng, 60, 70), batch=10)


@pytest.mark.exercise("predict_step", weight=3)
def test_peaks_are_near_whatever_causes_them(later, reference, rng):
    """Peak bytes are within 5 % at every moment of the step that may be the peak"""
    models = [sizes for _ in range(MODELS // 16) for sizes in corners(rng)]
    models += [deep(rng, some(rng)) for some in (mostly_state, mostly_activations)]
    check(later, reference, models, "peak_bytes", rtol=NEAR)
