"""Gradients by hand: the lecture's example, and a way to check any gradient."""

from itertools import pairwise

import pytest
import torch

from assignment.expect import expect

X = torch.tensor([1.0, 2.0, 3.0])
W = torch.ones(3, 1)


def whole_numbers(rng, shape, dtype, size=3):
    """A tensor of small whole numbers, of which every dtype keeps sums and products exactly."""
    return torch.from_numpy(rng.integers(-size, size + 1, size=shape)).to(dtype)


@pytest.mark.exercise("linear_backward")
def test_the_lectures_layer(impl):
    """x = (1, 2, 3), w of ones, ∂L/∂y = 1: in float32 w's gradient is (1, 2, 3), x's (1, 1, 1),
    b's 1"""
    grad_x, grad_w, grad_b = impl.gradients.linear_backward(X, W, torch.ones(1))
    expect(grad_w, "grad_w").equals(
        torch.tensor([[1.0], [2.0], [3.0]]),
        hint="w[i, j] is only multiplied by x[i], and only affects y[j]",
    )
    expect(grad_x, "grad_x").equals(torch.ones(3), hint="x[i] is multiplied by the row w[i]")
    expect(grad_b, "grad_b").equals(
        torch.ones(1), hint="a change of b changes y by the same amount"
    )


@pytest.mark.exercise("linear_backward")
def test_rows_add_up(impl):
    """Two rows share w and b, so their gradients add up; each row of x has its own gradient"""
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    w = torch.tensor([[1.0, 0.0, 2.0], [0.0, 1.0, 1.0]])
    grad_y = torch.tensor([[1.0, 0.0, 1.0], [0.0, 2.0, 0.0]])
    grad_x, grad_w, grad_b = impl.gradients.linear_backward(x, w, grad_y)
    expect(grad_x, "grad_x").equals(torch.tensor([[3.0, 1.0], [0.0, 2.0]]))
    expect(grad_w, "grad_w").equals(
        torch.tensor([[1.0, 6.0, 1.0], [2.0, 8.0, 2.0]]),
        hint="the sum of each row's products x · grad_y",
    )
    expect(grad_b, "grad_b").equals(torch.tensor([1.0, 2.0, 1.0]))


@pytest.mark.exercise("linear_backward")
def test_more_leading_axes_are_more_rows(impl):
    """A 2×2 batch is 4 rows: the gradients of w and b are sums over both axes"""
    grads = impl.gradients.linear_backward(torch.ones(2, 2, 3), W, torch.ones(2, 2, 1))
    expect(grads[0], "grad_x").equals(torch.ones(2, 2, 3))
    expect(grads[1], "grad_w").equals(torch.full((3, 1), 4.0))
    expect(grads[2], "grad_b").equals(
        torch.full((1,), 4.0), hint="sum over every axis but the last"
    )


@pytest.mark.exercise("linear_backward")
def test_random_layers_are_autograds(impl, rng):
    """Any sizes, 0 too, and any dtype: the gradients of autograd, in the dtypes of x and w"""
    dtypes = [torch.float64, torch.bfloat16, torch.float32]
    for i in range(12):
        lead = [(), (4,), (0,), (2, 3)][i % 4]
        d_in, d_out = (3, 3) if i % 3 == 0 else (int(n) for n in rng.integers(0, 5, size=2))
        dtype = dtypes[i % 3]
        x, w = whole_numbers(rng, (*lead, d_in), dtype), whole_numbers(rng, (d_in, d_out), dtype)
        b, grad_y = torch.zeros(d_out, dtype=dtype), whole_numbers(rng, (*lead, d_out), dtype)
        leaves = [t.clone().requires_grad_() for t in (x, w, b)]
        expected = torch.autograd.grad(leaves[0] @ leaves[1] + leaves[2], leaves, grad_y)
        found = impl.gradients.linear_backward(x, w, grad_y)
        for name, grad, right in zip(("grad_x", "grad_w", "grad_b"), found, expected, strict=True):
            expect(grad, f"{name} of x {tuple(x.shape)} and w {tuple(w.shape)}").equals(right)
    precise = torch.tensor([[1 + 2.0**-40]], dtype=torch.float64)
    expect(impl.gradients.linear_backward(precise, precise, precise)[0], "in float64").equals(
        precise * precise, hint="compute in the dtype that you are given"
    )


@pytest.mark.exercise("mlp_backward")
def test_the_lectures_loss(impl):
    """0.5 (x·w − 5)² at x = (1, 2, 3), w of ones: the loss is 0.5, w's gradient (1, 2, 3)"""
    loss, grads = impl.gradients.mlp_backward(X, [W], torch.tensor([5.0]))
    expect(loss, "the loss").close(
        0.5, rtol=1e-6, hint="return a Python float: y is 6, and the target is 5"
    )
    expect(grads, "the gradients").equals([torch.tensor([[1.0], [2.0], [3.0]])])


@pytest.mark.exercise("mlp_backward")
def test_relu_lets_through_what_was_positive(impl):
    """Of hidden units with inputs 2, 0 and −2, only the first passes its gradient on"""
    first, last = torch.tensor([[1.0, 0.0, -1.0]]), torch.tensor([[3.0], [4.0], [5.0]])
    loss, grads = impl.gradients.mlp_backward(torch.tensor([2.0]), [first, last], torch.ones(1))
    expect(loss, "the loss").close(
        12.5, rtol=1e-6, hint="y is 2 · 3; the other units contribute nothing"
    )
    expect(grads, "the gradients").equals(
        [torch.tensor([[30.0, 0.0, 0.0]]), torch.tensor([[10.0], [0.0], [0.0]])],
        hint="a unit passes a gradient on if its input is above 0; at exactly 0 torch gives 0, too",
    )


@pytest.mark.exercise("mlp_backward")
def test_gradients_agree_with_finite_differences(impl):
    """A small change of a weight changes the loss by the gradient times the change"""
    generator = torch.Generator().manual_seed(0)
    x, *weights, target = (
        torch.randn(shape, generator=generator, dtype=torch.float64)
        for shape in [(6, 4), (4, 5), (5, 3), (3, 2), (6, 2)]
    )
    _, grads = impl.gradients.mlp_backward(x, weights, target)
    for layer, (i, j) in [(0, (1, 2)), (1, (4, 0)), (2, (2, 1))]:
        losses = []
        for h in (1e-6, -1e-6):
            moved = [w.clone() for w in weights]
            moved[layer][i, j] += h
            losses.append(impl.gradients.mlp_backward(x, moved, target)[0])
        # Two losses of size 1e2 have rounding errors of 1e-14; divided by 2e-6 that is 1e-8.
        expect(grads[layer][i, j].item(), f"the gradient of w{layer + 1}[{i}, {j}]").close(
            (losses[0] - losses[1]) / 2e-6, rtol=1e-5, atol=1e-5
        )


@pytest.mark.exercise("mlp_backward")
def test_random_mlps_are_autograds(impl, rng):
    """Any number of layers and rows, 0 too, in any dtype: the loss and gradients of autograd"""
    dtypes = [torch.float64, torch.bfloat16, torch.float32]
    for i in range(12):
        lead, dtype = [(), (3,), (0,), (2, 2)][i % 4], dtypes[i % 3]
        widths = [3] * 4 if i % 4 == 1 else [int(n) for n in rng.integers(1, 4, size=2 + i % 3)]
        widths[0] = 0 if i == 11 else widths[0]
        pairs = pairwise(widths)
        weights = [whole_numbers(rng, pair, dtype, size=1) for pair in pairs]
        x = whole_numbers(rng, (*lead, widths[0]), dtype)
        target = whole_numbers(rng, (*lead, widths[-1]), dtype)
        leaves, y = [w.clone().requires_grad_() for w in weights], x
        for layer, w in enumerate(leaves):
            y = (torch.relu(y) if layer else y) @ w
        loss = 0.5 * (y - target).square().sum()
        expected = torch.autograd.grad(loss, leaves)
        given = tuple(weights) if i % 2 else weights
        found, grads = impl.gradients.mlp_backward(x, given, target)
        what = f"{dtype} with x {tuple(x.shape)} and widths {widths}"
        expect(found, f"the loss of {what}").close(loss.item(), rtol=2**-7)
        for layer, (grad, right) in enumerate(zip(grads, expected, strict=True)):
            wanted = torch.zeros_like(right) if dtype is not torch.float64 else right
            expect(grad, f"gradient {layer} of {what}").is_tensor(right.shape, dtype)
            if dtype is torch.float64:
                expect(grad, f"gradient {layer} of {what}").close(wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.exercise("mlp_backward")
def test_a_small_activation_is_not_0(impl):
    """ReLU lets a gradient through wherever its input was positive, by however little"""
    x, first = torch.tensor([1e-8], dtype=torch.float64), torch.tensor([[1.0]], dtype=torch.float64)
    _, grads = impl.gradients.mlp_backward(x, [first, first], torch.ones_like(x))
    expect(grads[0], "the first gradient").close(torch.tensor([[-1e-8]]).double(), rtol=1e-6)
