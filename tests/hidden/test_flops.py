"""FLOPs, held against torch's FlopCounterMode on real layers."""

import itertools

import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from assignment.expect import expect

AWKWARD = [1, 2, 3, 17, 63, 64, 65]


def sizes(rng, count):
    return [int(n) for n in rng.choice(AWKWARD, size=count)]


def counted(function):
    """FLOPs of `function()` as torch counts them, and what it returned."""
    with FlopCounterMode(display=False) as counter:
        result = function()
    return counter.get_total_flops(), result


def mlp(widths):
    layers = []
    for d_in, d_out in itertools.pairwise(widths):
        layers += [nn.ReLU(), nn.Linear(d_in, d_out, bias=False)]
    return nn.Sequential(*layers[1:])


def forward_and_backward(model, batch, width, input_needs_grad):
    x = torch.ones(batch, width, requires_grad=input_needs_grad)
    forward, y = counted(lambda: model(x))
    backward, _ = counted(lambda: y.sum().backward())
    return forward, backward


@pytest.mark.exercise("matmul_flops")
def test_a_product_takes_what_torch_counts(impl, rng):
    """A matrix product takes the FLOPs that torch counts for it"""
    for _ in range(25):
        B, D, K = (int(n) for n in rng.integers(1, 200, size=3))
        left, right = torch.ones(B, D), torch.ones(D, K)
        flops, _ = counted(lambda left=left, right=right: left @ right)
        expect(impl.flops.matmul_flops(B, D, K), f"FLOPs of ({B}×{D})·({D}×{K})").equals(flops)


@pytest.mark.exercise("matmul_flops")
def test_huge_products_are_exact(impl, rng):
    """FLOPs beyond 64 bits are exact integers"""
    for _ in range(10):
        B, D, K = (int(n) | 1 for n in rng.integers(2**30, 2**40, size=3))
        expect(impl.flops.matmul_flops(B, D, K)).equals(sum([B * D * K, B * D * K]))


@pytest.mark.exercise("matmul_flops")
def test_a_product_without_elements_is_free(impl, rng):
    """A size of 0 leaves no FLOPs, whichever it is"""
    for _ in range(5):
        given = sizes(rng, 3)
        expect(impl.flops.matmul_flops(*given)).equals(2 * given[0] * given[1] * given[2])
        given[int(rng.integers(3))] = 0
        expect(impl.flops.matmul_flops(*given)).equals(0)


@pytest.mark.exercise("matmul_flops")
def test_refuses_negative_sizes_of_a_product(impl):
    """A negative size is refused, even if the product is not negative"""
    for given in [(-1, 2, 3), (1, -2, 3), (1, 2, -3), (-1, -2, 3), (0, -2, 3)]:
        with pytest.raises(ValueError):
            impl.flops.matmul_flops(*given)
    expect(impl.flops.matmul_flops(1, 2, 3)).equals(12)


@pytest.mark.exercise("linear_flops")
def test_a_layer_forward(impl, rng):
    """The forward pass of a linear layer takes the FLOPs that torch counts"""
    for _ in range(12):
        batch, d_in, d_out = sizes(rng, 3)
        flops, _ = forward_and_backward(mlp([d_in, d_out]), batch, d_in, False)
        expect(impl.flops.linear_forward_flops(batch, d_in, d_out)).equals(flops)


@pytest.mark.exercise("linear_flops")
def test_a_layer_backward_with_the_inputs_gradient(impl, rng):
    """The backward pass takes the FLOPs that torch counts if the input needs a gradient"""
    for _ in range(12):
        batch, d_in, d_out = sizes(rng, 3)
        _, flops = forward_and_backward(mlp([d_in, d_out]), batch, d_in, True)
        expect(impl.flops.linear_backward_flops(batch, d_in, d_out, True)).equals(flops)


@pytest.mark.exercise("linear_flops")
def test_a_layer_backward_without_the_inputs_gradient(impl, rng):
    """The backward pass takes the FLOPs that torch counts if the input needs none"""
    for _ in range(12):
        batch, d_in, d_out = sizes(rng, 3)
        _, flops = forward_and_backward(mlp([d_in, d_out]), batch, d_in, False)
        expect(impl.flops.linear_backward_flops(batch, d_in, d_out, False)).equals(flops)


@pytest.mark.exercise("linear_flops")
def test_a_huge_layer_is_exact(impl, rng):
    """A layer's FLOPs beyond 64 bits are exact integers"""
    for _ in range(5):
        batch, d_in, d_out = (int(n) | 1 for n in rng.integers(2**30, 2**40, size=3))
        product = 2 * batch * d_in * d_out
        expect(impl.flops.linear_forward_flops(batch, d_in, d_out)).equals(product)
        expect(impl.flops.linear_backward_flops(batch, d_in, d_out, False)).equals(product)
        expect(impl.flops.linear_backward_flops(batch, d_in, d_out, True)).equals(2 * product)


@pytest.mark.exercise("linear_flops")
def test_refuses_negative_sizes_of_a_layer(impl):
    """A layer of a negative size is refused, forward and backward"""
    for given in [(-1, 2, 3), (1, -2, 3), (1, 2, -3), (-1, -2, 3)]:
        with pytest.raises(ValueError):
            impl.flops.linear_forward_flops(*given)
        for input_needs_grad in (False, True):
            with pytest.raises(ValueError):
                impl.flops.linear_backward_flops(*given, input_needs_grad)
    expect(impl.flops.linear_forward_flops(1, 2, 3)).equals(12)
    expect(impl.flops.linear_backward_flops(1, 2, 3, True)).equals(24)


@pytest.mark.exercise("mlp_flops")
def test_an_mlp_forward(impl, rng):
    """The forward pass of an MLP takes the FLOPs that torch counts, at every depth"""
    for layers in range(1, 7):
        batch, *widths = sizes(rng, layers + 2)
        flops, _ = forward_and_backward(mlp(widths), batch, widths[0], False)
        expect(impl.flops.mlp_forward_flops(batch, widths)).equals(flops)


@pytest.mark.exercise("mlp_flops")
def test_an_mlp_backward_with_the_inputs_gradient(impl, rng):
    """The backward pass of an MLP takes the FLOPs that torch counts, down to the input"""
    for layers in range(1, 7):
        batch, *widths = sizes(rng, layers + 2)
        _, flops = forward_and_backward(mlp(widths), batch, widths[0], True)
        expect(impl.flops.mlp_backward_flops(batch, widths, True)).equals(flops)


@pytest.mark.exercise("mlp_flops", weight=2)
def test_an_mlp_backward_without_the_inputs_gradient(impl, rng):
    """Without the input's gradient it takes the FLOPs that torch counts, at every depth"""
    for layers in range(1, 7):
        batch, *widths = sizes(rng, layers + 2)
        _, flops = forward_and_backward(mlp(widths), batch, widths[0], False)
        expect(impl.flops.mlp_backward_flops(batch, widths, False)).equals(flops)


@pytest.mark.exercise("mlp_flops")
def test_a_huge_mlp_is_exact(impl, rng):
    """An MLP's FLOPs beyond 64 bits are exact integers"""
    for _ in range(5):
        batch, first, middle, last = (int(n) | 1 for n in rng.integers(2**30, 2**40, size=4))
        widths = (first, middle, last)
        upper, lower = 2 * batch * middle * last, 2 * batch * first * middle
        expect(impl.flops.mlp_forward_flops(batch, widths)).equals(upper + lower)
        expect(impl.flops.mlp_backward_flops(batch, widths, False)).equals(2 * upper + lower)
        expect(impl.flops.mlp_backward_flops(batch, widths, True)).equals(2 * (upper + lower))


@pytest.mark.exercise("mlp_flops")
def test_refuses_too_few_widths(impl):
    """An MLP of fewer than two widths is refused, forward and backward"""
    for widths in [(), (3,)]:
        with pytest.raises(ValueError):
            impl.flops.mlp_forward_flops(2, widths)
        with pytest.raises(ValueError):
            impl.flops.mlp_backward_flops(2, widths, True)
    expect(impl.flops.mlp_forward_flops(2, (3, 5))).equals(60)
    expect(impl.flops.mlp_backward_flops(2, (3, 5), False)).equals(60)


@pytest.mark.exercise("mlp_flops")
def test_refuses_negative_sizes_of_an_mlp(impl):
    """An MLP with a negative batch or width is refused, forward and backward"""
    for batch, widths in [(-2, (3, 5)), (2, (-3, 5)), (2, (3, -5, 7)), (2, (3, 5, -7))]:
        with pytest.raises(ValueError):
            impl.flops.mlp_forward_flops(batch, widths)
        with pytest.raises(ValueError):
            impl.flops.mlp_backward_flops(batch, widths, False)
    expect(impl.flops.mlp_forward_flops(2, (3, 5, 7))).equals(200)
    expect(impl.flops.mlp_backward_flops(2, (3, 5, 7), False)).equals(340)
