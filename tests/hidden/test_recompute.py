"""Activation checkpointing, compared with a plain loop, and its memory measured from outside.

Comparisons are in float64: checkpointing runs the same operations again, so 1e-10 only allows for
another order of summation.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from assignment.expect import expect

MIB = 2**20

# --- segments ----------------------------------------------------------------


@pytest.mark.exercise("segments")
def test_segments_are_even(impl, rng):
    """Segments cover all layers in order; sizes differ by at most one, the longer ones first"""
    for _ in range(60):
        layers = int(rng.integers(1, 70))
        segments = int(rng.integers(1, layers + 1))
        pieces = np.array_split(np.arange(layers), segments)
        expect(
            impl.recompute.segment_bounds(layers, segments), f"{layers} layers in {segments}"
        ).equals([(int(piece[0]), int(piece[-1]) + 1) for piece in pieces])


@pytest.mark.exercise("segments")
def test_one_segment_and_one_for_each_layer(impl, rng):
    """One segment has all layers; as many segments as layers have one layer each"""
    for _ in range(10):
        layers = int(rng.integers(2, 200))
        expect(impl.recompute.segment_bounds(layers, 1)).equals([(0, layers)])
        expect(impl.recompute.segment_bounds(layers, layers)).equals(
            list(itertools.pairwise(range(layers + 1)))
        )


@pytest.mark.exercise("segments")
def test_refuses_segments_that_cannot_be(impl, rng):
    """0 segments, a negative number and more segments than layers are refused"""
    for layers in (1, 2, int(rng.integers(3, 50))):
        for segments in (-1, 0, layers + 1):
            with pytest.raises(ValueError):
                impl.recompute.segment_bounds(layers, segments)
        expect(impl.recompute.segment_bounds(layers, 1)).equals([(0, layers)])
    for segments in (-1, 0, 1):
        with pytest.raises(ValueError):
            impl.recompute.segment_bounds(0, segments)


@pytest.mark.exercise("segments", weight=2)
def test_best_segments_hold_the_fewest_activations(impl, rng):
    """The best number is the smallest that minimizes segments plus longest segment"""
    squares = [int(n) ** 2 for n in rng.integers(4, 20, size=6)]
    near = [square + offset for square in squares for offset in (-1, 0, 1, 2)]
    for layers in [*range(1, 30), *near, *(int(n) for n in rng.integers(30, 400, size=20))]:
        costs = [s + math.ceil(Fraction(layers, s)) for s in range(1, layers + 1)]
        expect(impl.recompute.best_segments(layers), f"best of {layers} layers").equals(
            1 + costs.index(min(costs))
        )


@pytest.mark.exercise("segments")
def test_best_segments_refuses_no_layers(impl, rng):
    """Fewer than one layer is refused"""
    for layers in (0, -1, -int(rng.integers(2, 99))):
        with pytest.raises(ValueError):
            impl.recompute.best_segments(layers)
    root = int(rng.integers(4, 30))
    expect(impl.recompute.best_segments(root * root)).equals(root)
    expect(impl.recompute.best_segments(1)).equals(1)


# --- checkpointed_forward ----------------------------------------------------


def network(rng, torch_rng, layers, *, width=None):
    """Weights of tanh layers of random widths or of one width, an input, and an output gradient."""
    widths = [width or int(n) for n in rng.integers(2, 7, size=layers + 1)]
    weights = [f64(torch_rng, d_in, d_out) for d_in, d_out in itertools.pairwise(widths)]
    rows = int(rng.integers(1, 5))
    return weights, f64(torch_rng, rows, widths[0]), f64(torch_rng, rows, widths[-1])


def f64(torch_rng, *shape):
    return torch.randn(shape, generator=torch_rng, dtype=torch.float64)


def plain_pass(weights, x, output_grad, *, frozen=(), dropout=0.0, seed=0):
    """Output and gradients of a plain loop, which holds all activations."""
    x = x.clone().requires_grad_()
    weights = [w.clone().requires_grad_(i not in frozen) for i, w in enumerate(weights)]
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        y = x
        for w in weights:
            y = torch.tanh(y @ w) if w.dim() == 2 else y * w
            if dropout:
                y = y * (torch.rand(y.shape) >= dropout)
        torch.autograd.backward(y, output_grad)
        draws = torch.rand(4)
    return {
        "output": y.detach(),
        "x_grad": x.grad,
        "weight_grads": [w.grad for w in weights],
        "draws": draws,
    }


def check_pass(impl, net, segments, *, x_needs_grad=False, **settings):
    """Checks that output and gradients are those of a plain loop, and that layers ran again."""
    found = impl.scenarios.checkpointed_pass(
        net[0], net[1], segments, net[2], x_needs_grad=x_needs_grad, **settings
    )
    plain = plain_pass(*net, **settings)
    expect(found["output"], "the output").close(plain["output"], rtol=1e-10, atol=1e-12)
    wanted = {f"weight {i}": grad for i, grad in enumerate(plain["weight_grads"])}
    grads = {f"weight {i}": grad for i, grad in enumerate(found["weight_grads"])}
    wanted["x"], grads["x"] = plain["x_grad"] if x_needs_grad else None, found["x_grad"]
    for name, grad in wanted.items():
        if grad is None:
            expect(grads[name], f"the gradient of {name}").equals(None)
        else:
            expect(grads[name], f"the gradient of {name}").close(grad, rtol=1e-10, atol=1e-12)
    # With several segments, each with trainable weights, some layers must run again.
    assert found["backward_calls"] or segments == 1 or settings.get("frozen"), "none ran again"
    return found, plain


def bounds_of(layers, segments):
    pieces = np.array_split(np.arange(layers), segments)
    return [[int(i) for i in piece] for piece in pieces]


@pytest.mark.exercise("checkpointed_forward")
def test_gradients_are_those_without(impl, rng, torch_rng):
    """Output and gradients are those of a plain loop, for any number of segments"""
    for layers in (1, 2, 5, int(rng.integers(6, 12))):
        for segments in {1, (layers + 1) // 2, layers}:
            check_pass(impl, network(rng, torch_rng, layers), segments, x_needs_grad=True)


@pytest.mark.exercise("checkpointed_forward")
def test_parameters_get_gradients_whatever_the_input_needs(impl, rng, torch_rng):
    """Parameters get gradients even if the input needs none or earlier layers are frozen"""
    layers = int(rng.integers(5, 8))
    for segments in (1, 3):
        for frozen in ([], [0, 1], [0, 1, 2, 3], [0, layers - 1]):
            check_pass(impl, network(rng, torch_rng, layers), segments, frozen=frozen)


@pytest.mark.exercise("checkpointed_forward", weight=2)
def test_each_layer_runs_once_more(impl, rng, torch_rng):
    """Each layer runs once forward, and once again backward, segment by segment from the last"""
    for _ in range(6):
        layers = int(rng.integers(4, 16))
        segments = int(rng.integers(2, layers))
        found, _ = check_pass(impl, network(rng, torch_rng, layers), segments)
        expect(found["forward_calls"], "layers in the forward pass").equals(list(range(layers)))
        again = bounds_of(layers, segments)[::-1]
        calls = found["backward_calls"]
        if calls[0] != again[0][0]:
            again = again[1:]  # the last segment was held
        expect(calls, "layers in the backward pass").equals(list(itertools.chain(*again)))


@pytest.mark.exercise("checkpointed_forward", weight=2)
def test_few_activations_are_held(impl, rng, torch_rng):
    """Only the segments' inputs and the activations of one segment at a time are held"""
    for segments in (2, 4, 5):
        # With one more layer, all segments would have the same length.
        layers = segments * int(rng.integers(24 // segments, 30 // segments)) + segments - 1
        found, _ = check_pass(impl, network(rng, torch_rng, layers, width=3), segments)
        longest = len(bounds_of(layers, segments)[0])
        # The inputs of all segments but the first, the output, and one segment's activations; one
        # more while a layer passes its output to the next.
        allowed = segments + longest + 1
        assert found["held"]["at most"] <= allowed < layers, f"{found['held']}, at most {allowed}"
        # If the last segment does not run again, it is held from the start.
        allowed = segments + longest - 1
        assert found["held"]["after"] <= allowed, f"{found['held']}, {allowed} after forward"


@pytest.mark.exercise("checkpointed_forward", weight=2)
def test_memory_is_saved(impl, torch_rng):
    """The process takes less memory than all activations together"""
    layers, segments, shape = 36, 6, (256, 512)
    ones = torch.ones(shape)
    for _ in range(2):
        impl.scenarios.checkpointed_pass([torch.ones(shape[1])] * 2, ones, 2, ones)
    before = impl.peak_rss()
    weights = [1 + torch.rand(shape[1], generator=torch_rng) / 64 for _ in range(layers)]
    found = impl.scenarios.checkpointed_pass(weights, ones, segments, ones)
    grown = impl.peak_rss() - before
    # Each activation takes 0.5 MiB: all 36 take 18 MiB, six inputs and six of a segment 6 MiB.
    assert grown < 11 * MIB, f"{grown / MIB:.1f} MiB"
    product = torch.stack(weights).double().prod(0)
    for w, gradient in zip(weights, found["weight_grads"], strict=True):
        # float32, 36 products and a sum of 256: at most 300 rounding errors of 6e-8.
        expect(gradient.double(), "a gradient").close(shape[0] * product / w.double(), rtol=2e-5)


@pytest.mark.exercise("checkpointed_forward")
def test_the_same_random_numbers_again(impl, rng, torch_rng):
    """A random layer draws the same numbers when it runs again"""
    for segments in (1, 2, 3, 5):
        net, seed = network(rng, torch_rng, 5, width=6), int(rng.integers(2**40))
        check_pass(impl, net, segments, dropout=0.4, seed=seed)


@pytest.mark.exercise("checkpointed_forward")
def test_random_numbers_go_on(impl, rng, torch_rng):
    """After the backward pass, torch draws the same numbers as without checkpointing"""
    for segments in (1, 2, 4):
        net, seed = network(rng, torch_rng, 5, width=6), int(rng.integers(2**40))
        found, plain = check_pass(impl, net, segments, dropout=0.4, seed=seed)
        expect(found["draws"], "torch's next draws").equals(plain["draws"])


@pytest.mark.exercise("checkpointed_forward")
def test_without_gradients_nothing_is_held(impl, rng, torch_rng):
    """Under no_grad the output is the same, and nothing is held for a backward pass"""
    for segments in (1, 3, 8):
        weights, x, output_grad = network(rng, torch_rng, 8)
        found = impl.scenarios.checkpointed_pass(weights, x, segments)
        plain = plain_pass(weights, x, output_grad)
        expect(found["output"], "the output").close(plain["output"], rtol=1e-10, atol=1e-12)
        expect(found["requires_grad"], "whether the output requires a gradient").equals(False)
        expect(found["forward_calls"], "the layers that ran").equals(list(range(8)))
        expect(found["held"]["after"], "outputs held").equals(1)


@pytest.mark.exercise("checkpointed_forward")
def test_refuses_segments_of_no_layer(impl, rng, torch_rng):
    """0 segments, more segments than layers and no layers are refused"""
    for layers in (1, 4):
        weights, x, output_grad = network(rng, torch_rng, layers)
        for segments in (-1, 0, layers + 1):
            with pytest.raises(ValueError):
                impl.scenarios.checkpointed_pass(weights, x, segments, output_grad)
        with pytest.raises(ValueError):
            impl.scenarios.checkpointed_pass([], x, 1, output_grad)
        for segments in {1, layers}:
            check_pass(impl, (weights, x, output_grad), segments)
