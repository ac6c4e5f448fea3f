"""Gradients by hand: the lecture's example, and a way to check any gradient."""

import pytest
import torch

from assignment.expect import expect

X = torch.tensor([1.0, 2.0, 3.0])
W = torch.ones(3, 1)


@pytest.mark.exercise("linear_backward")
def test_the_lectures_layer(impl):
    """x = (1, 2, 3), w of ones, ∂L/∂y = 1: w's gradient is (1, 2, 3), x's (1, 1, 1), b's 1"""
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
        torch.tensor([[1.0, 6.0, 1.0], [2.0, 8.0, 2.0]]), hint="a sum over the rows, not a mean"
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
        hint="at exactly 0 the derivative of ReLU is 0, as in torch",
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
def test_refuses_layers_that_do_not_fit(impl):
    """No layers, a layer for 4 features after 3, and a target of another width are refused"""
    expect(impl.gradients.mlp_backward(X, [W], torch.zeros(1))[0], "the loss").close(
        18.0, rtol=1e-6
    )
    for weights, target in [
        ([], torch.zeros(3)),
        ([torch.ones(4, 1)], torch.zeros(1)),
        ([W], torch.zeros(2)),
    ]:
        with pytest.raises(ValueError):
            impl.gradients.mlp_backward(X, weights, target)
