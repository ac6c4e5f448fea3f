"""Activation checkpointing on small networks."""

import pytest
import torch

from assignment.expect import expect


@pytest.mark.exercise("segments")
def test_ten_layers_in_four(impl):
    """Ten layers are split into four segments of 3, 3, 2 and 2"""
    expect(impl.recompute.segment_bounds(10, 4)).equals(
        [(0, 3), (3, 6), (6, 8), (8, 10)], hint="divmod(10, 4): two segments get one more layer"
    )


@pytest.mark.exercise("segments")
def test_best_of_sixteen(impl):
    """The best number of segments is 4 for sixteen layers, 2 for ten, and 1 for three"""
    expect(impl.recompute.best_segments(16)).equals(4, hint="4 + 4 = 8; 3 + 6 and 5 + 4 are more")
    expect(impl.recompute.best_segments(10)).equals(2, hint="2 + 5 = 3 + 4: take the smaller")
    expect(impl.recompute.best_segments(3)).equals(1, hint="1 + 3 = 2 + 2: take the smaller")


@pytest.mark.exercise("segments")
def test_too_many_segments(impl):
    """More segments than layers are refused"""
    with pytest.raises(ValueError):
        impl.recompute.segment_bounds(3, 4)
    expect(impl.recompute.segment_bounds(4, 4)).equals([(0, 1), (1, 2), (2, 3), (3, 4)])


def weights(layers):
    generator = torch.Generator().manual_seed(1)
    return list(torch.randn(layers, 3, 3, generator=generator, dtype=torch.float64))


X = torch.linspace(-1, 1, 6, dtype=torch.float64).view(2, 3)


@pytest.mark.exercise("checkpointed_forward")
def test_same_gradients(impl):
    """Nine tanh layers in three segments give the output and gradients of a plain loop"""
    tensors = [w.requires_grad_() for w in weights(9)]
    y = X
    for w in tensors:
        y = torch.tanh(y @ w)
    y.sum().backward()
    found = impl.scenarios.checkpointed_pass(weights(9), X, 3, torch.ones_like(X))
    expect(found["output"], "the output").close(y.detach(), rtol=1e-10)
    for i, w in enumerate(tensors):
        expect(found["weight_grads"][i], f"the gradient of weight {i}").close(
            w.grad,
            rtol=1e-10,
            atol=1e-12,
            hint="with use_reentrant=False, parameters get gradients even if x needs none",
        )


@pytest.mark.exercise("checkpointed_forward")
def test_which_layers_run(impl):
    """In the backward pass layers 6, 7, 8 may run again, then 3, 4, 5 and 0, 1, 2 must"""
    found = impl.scenarios.checkpointed_pass(weights(9), X, 3, torch.ones_like(X))
    expect(found["forward_calls"], "layers that ran in the forward pass").equals(list(range(9)))
    again = [6, 7, 8, 3, 4, 5, 0, 1, 2]
    if len(found["backward_calls"]) == 6:
        again = again[3:]  # the last segment was held, which is also right
    expect(found["backward_calls"], "layers that ran in the backward pass").equals(
        again, hint="a lambda in a loop sees the loop's last value: pass the layers as an argument"
    )


@pytest.mark.exercise("checkpointed_forward")
def test_what_is_held(impl):
    """With 25 layers in five segments, at most 11 outputs are held at once"""
    found = impl.scenarios.checkpointed_pass(weights(25), X, 5, torch.ones_like(X))
    held = found["held"]["at most"]
    assert held <= 11, f"{held} outputs were held; expected 5 inputs, 5 of one segment and 1 more"
    assert len(found["backward_calls"]) >= 20, "too few layers ran again to compute the activations"
