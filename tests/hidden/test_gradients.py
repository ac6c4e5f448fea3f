"""Gradients, compared with torch's autograd in float64.

If the inputs are whole numbers, every order of the additions gives exactly the same result.
"""

import itertools

import pytest
import torch

from assignment.calls.layouts import rearranged
from assignment.expect import expect

AWKWARD = [1, 2, 3, 5, 17, 31, 32, 33]
LEADS = [(), (1,), (3,), (2, 3), (2, 1, 3), (1, 2, 2, 2)]


def whole(torch_rng, *shape, limit=2**20, dtype=torch.float64):
    """Whole numbers from -limit to limit, in any layout. Sums of products need float64."""
    numbers = torch.randint(-limit, limit + 1, shape, generator=torch_rng)
    return rearranged(numbers.to(dtype), torch_rng)


def different(rng, count, smallest=1):
    """Different sizes: square weights are tested separately."""
    return [smallest + int(n) for n in rng.permutation(7)[:count]]


def normal(torch_rng, *shape):
    numbers = torch.randn(shape, generator=torch_rng, dtype=torch.float64)
    return rearranged(numbers, torch_rng)


def normal_mlp(torch_rng, rows, widths):
    """x, weights and target of an MLP of these widths; `rows` are the leading axes."""
    return made_mlp(lambda *shape: normal(torch_rng, *shape), rows, widths)


def whole_mlp(torch_rng, rows, widths, limit):
    """The same, of whole numbers."""
    return made_mlp(lambda *shape: whole(torch_rng, *shape, limit=limit), rows, widths)


def made_mlp(tensor, rows, widths):
    weights = [tensor(*shape) for shape in itertools.pairwise(widths)]
    return tensor(*rows, widths[0]), weights, tensor(*rows, widths[-1])


def autograd_linear(x, w, grad_y):
    x, w = x.clone().requires_grad_(), w.clone().requires_grad_()
    b = torch.zeros(w.shape[1], dtype=w.dtype, requires_grad=True)
    return torch.autograd.grad(x @ w + b, (x, w, b), grad_y)


def autograd_mlp(x, weights, target):
    """The loss and the gradients by autograd."""
    weights = [w.clone().requires_grad_() for w in weights]
    y = x @ weights[0]
    for w in weights[1:]:
        y = torch.relu(y) @ w
    loss = 0.5 * (y - target).square().sum()
    return loss.item(), list(torch.autograd.grad(loss, weights))


def widths_of(rng, layers, smallest=1, end=9):
    """Widths below `end`, with different neighbours."""
    widths = [int(rng.integers(smallest, end))]
    while len(widths) <= layers:
        width = int(rng.integers(smallest, end))
        widths += [width] * (width != widths[-1])
    return widths


def check_mlp(impl, x, weights, target, *, exactly=False):
    """Compares gradients to 1e-10 of the largest one: float64 rounds by 1e-16.

    The loss, and with it the factor of all gradients, counts only where both must be exact.
    """
    found = impl.gradients.mlp_backward(x, (list, tuple)[len(weights) % 2](weights), target)
    loss, grads = autograd_mlp(x, weights, target)
    largest = max([1.0, *(float(g.abs().max()) for g in grads if g.numel())])
    if exactly:
        expect(found, "(loss, gradients)").close((loss, grads), rtol=1e-10, atol=1e-10 * largest)
    else:
        _, found = found
        expect(found, "gradients").proportional(grads, atol=1e-10 * largest)


# --- linear_backward ---------------------------------------------------------


def check_linear(later, torch_rng, lead, d_in, d_out):
    """Compares gradients of whole numbers exactly."""
    x, w = whole(torch_rng, *lead, d_in), whole(torch_rng, d_in, d_out)
    grad_y = whole(torch_rng, *lead, d_out)
    later.gradients.linear_backward(x, w, grad_y).equals(
        autograd_linear(x, w, grad_y), "(grad_x, grad_w, grad_b)"
    )


@pytest.mark.exercise("linear_backward", weight=2)
def test_linear_gradients_are_autograds(later, rng, torch_rng):
    """The gradients of x, w and b for a batch of rows are those of autograd"""
    for _ in range(8):
        batch, d_in, d_out = rng.choice(AWKWARD, size=3).tolist()
        check_linear(later, torch_rng, (batch,), d_in, d_out)
        square = int(rng.integers(2, 9))  # where a wrong product may have the right shape
        check_linear(later, torch_rng, (square,), square, square)


@pytest.mark.exercise("linear_backward")
def test_linear_gradients_under_leading_axes(later, rng, torch_rng):
    """With any number of leading axes, w's and b's gradients are sums over all of them"""
    for lead in LEADS[2:]:
        check_linear(later, torch_rng, lead, *different(rng, 2))


@pytest.mark.exercise("linear_backward")
def test_linear_gradients_of_a_single_row(later, rng, torch_rng):
    """Without leading axes x is a single row"""
    for _ in range(8):
        check_linear(later, torch_rng, (), *rng.choice(AWKWARD, size=2, replace=False).tolist())


@pytest.mark.exercise("linear_backward")
def test_linear_gradients_without_rows(later, rng, torch_rng):
    """Without rows the gradients of w and b are 0; any size may be 0"""
    for empty in range(5):
        sizes = rng.integers(2, 6, size=5)
        sizes[empty] = 0
        rows, columns, d_in, d_out, _ = sizes.tolist()  # no size is 0 in the last round
        check_linear(later, torch_rng, (rows, columns), d_in, d_out)


@pytest.mark.exercise("linear_backward")
def test_linear_gradients_keep_the_dtype(later, rng, torch_rng):
    """The gradients have the dtypes of x, w and b"""
    for dtype in (torch.float64, torch.float32, torch.bfloat16, torch.float16):
        batch, d_in, d_out = different(rng, 3)
        lead = (2, 3) if rng.random() < 0.5 else (batch,)
        # Sums of at most 7 products of at most 16: below 256, which is exact even in bfloat16.
        given = [
            whole(torch_rng, *shape, limit=4)
            for shape in [(*lead, d_in), (d_in, d_out), (*lead, d_out)]
        ]
        expected = [grad.to(dtype) for grad in autograd_linear(*given)]
        later.gradients.linear_backward(*(t.to(dtype) for t in given)).equals(
            expected, "(grad_x, grad_w, grad_b)"
        )


# --- mlp_backward ------------------------------------------------------------


@pytest.mark.exercise("mlp_backward", weight=2)
def test_mlp_gradients_are_autograds(impl, rng, torch_rng):
    """Loss and gradients are those of autograd, at every depth"""
    for layers in [1, 2, 2, 3, 3, 4, 5, 6]:
        batch, widths = int(rng.integers(2, 9)), widths_of(rng, layers)
        check_mlp(impl, *normal_mlp(torch_rng, (batch,), widths), exactly=True)


@pytest.mark.exercise("mlp_backward")
def test_the_loss_is_half_the_sum_of_squares(impl, rng, torch_rng):
    """The loss is half the sum of the squared errors of all outputs of all rows"""
    for _ in range(10):
        batch, *widths = rng.integers(2, 9, size=4).tolist()
        x, weights, target = whole_mlp(torch_rng, (batch,), widths, 9)
        errors = torch.relu(x @ weights[0]) @ weights[1] - target
        loss, _ = impl.gradients.mlp_backward(x, weights, target)
        expect(loss, "the loss").is_a(float)
        expect(loss, "the loss").close(0.5 * errors.square().sum().item(), rtol=1e-12)


@pytest.mark.exercise("mlp_backward")
def test_square_weights_get_their_own_gradients(impl, rng, torch_rng):
    """For square weights too, each weight gets its own gradient, autograd's"""
    for layers in (2, 3, 4):
        width, batch = int(rng.integers(2, 7)), int(rng.integers(2, 7))
        check_mlp(impl, *normal_mlp(torch_rng, (batch,), [width] * (layers + 1)))


@pytest.mark.exercise("mlp_backward")
def test_relu_has_no_slope_at_zero(impl, rng, torch_rng):
    """A hidden unit at exactly 0 passes no gradient on; one just above does"""
    for layers in (2, 3, 4):
        batch, widths = int(rng.integers(2, 6)), widths_of(rng, layers, smallest=4)
        x, weights, target = whole_mlp(torch_rng, (batch,), widths, 3)
        for w in weights[:-1]:  # the first unit is 0 for every row, others for some
            w[:, 0] = 0
        check_mlp(impl, x, weights, target)
        tiny = [2.0**-40 * weights[0], 2.0**40 * weights[1], *weights[2:]]  # small is not 0
        check_mlp(impl, x, tiny, target)


@pytest.mark.exercise("mlp_backward")
def test_no_relu_after_the_last_layer(impl, rng, torch_rng):
    """The last layer's output may be negative, and passes its gradient on"""
    for layers in (1, 2, 3):
        batch, widths = int(rng.integers(2, 6)), widths_of(rng, layers)
        x, weights, target = whole_mlp(torch_rng, (batch,), widths, 9)
        x, weights = x.abs() + 1, [w.abs() + 1 for w in weights]
        weights[-1] *= -1  # all hidden units are positive, all outputs negative
        x[0] *= -1  # but for one row, which is negative before the first ReLU
        check_mlp(impl, x, weights, target)


@pytest.mark.exercise("mlp_backward")
def test_mlp_gradients_under_leading_axes(impl, rng, torch_rng):
    """With any number of leading axes, including none, the gradients are sums over all of them"""
    for lead in LEADS:
        layers = 2 if lead == LEADS[-1] else int(rng.integers(1, 4))
        widths = widths_of(rng, layers, smallest=2, end=6)
        check_mlp(impl, *normal_mlp(torch_rng, lead, widths), exactly=True)


@pytest.mark.exercise("mlp_backward")
def test_mlp_without_rows(impl, later, rng, torch_rng):
    """Without rows the loss and every gradient is 0"""
    for layers in (1, 2, 3):
        widths = [int(n) for n in rng.integers(2, 6, size=layers + 1)]
        check_mlp(impl, *normal_mlp(torch_rng, (4,), widths))
        x, weights, target = normal_mlp(torch_rng, (0,), widths)
        later.gradients.mlp_backward(x, weights, target).close(
            (0.0, [0 * w for w in weights]), rtol=0.0
        )


@pytest.mark.exercise("mlp_backward")
def test_mlp_of_no_width(impl, rng, torch_rng):
    """Any width may be 0: the weights beside it have gradients without elements, others are 0"""
    for layers in (1, 2, 3, 3):
        for empty in range(layers + 1):
            batch, widths = int(rng.integers(1, 5)), widths_of(rng, layers)
            check_mlp(impl, *normal_mlp(torch_rng, (batch,), widths))
            widths[empty] = 0
            check_mlp(impl, *normal_mlp(torch_rng, (batch,), widths), exactly=True)


@pytest.mark.exercise("mlp_backward")
def test_mlp_gradients_keep_the_dtype(impl, rng, torch_rng):
    """The gradients have the dtype of the weights; the loss is a Python float"""
    # No sum exceeds 2^24, nor, with the smaller widths, 3 · 4 · 17 < 256: so all but the loss is
    # exact in every dtype. The loss may be computed with a square root, or be infinite.
    for dtype in (torch.float64, torch.float32, torch.bfloat16, torch.float16):
        wide = dtype.itemsize >= 4
        depth, end, near = (3, 6, 1e-6) if wide else (2, 5, 1e-2)
        for layers in range(1, depth + 1):
            widths = widths_of(rng, layers, smallest=3, end=end)  # hardly ever without gradients
            x, weights, target = whole_mlp(torch_rng, (3,), widths, 1)
            loss, grads = autograd_mlp(x, weights, target)
            found = impl.gradients.mlp_backward(
                x.to(dtype), [w.to(dtype) for w in weights], target.to(dtype)
            )
            expect(found[0], "the loss").is_a(float)
            if wide:
                expect(found[0], "the loss").close(loss, rtol=near)
            expect(found[1], "gradients").proportional([g.to(dtype) for g in grads], rtol=near)
