"""Training, compared with torch's autograd, SGD and clip_grad_norm_.

In float64 other orders of operations differ by about 1e-15 per step; 1e-10 allows for that, but not
for another formula.
"""

import copy
import math

import pytest
import torch
from torch.nn import functional

from assignment.expect import expect


def randn(torch_rng, *shape, dtype=torch.float64):
    return torch.randn(shape, generator=torch_rng, dtype=dtype)


def forward(weights, x):
    for i, weight in enumerate(weights):
        x = x @ weight if i == 0 else x.tanh() @ weight
    return x


BCE = "binary_cross_entropy_with_logits"  # not symmetric in outputs and targets


def new_run(rng, torch_rng, steps):
    """Weights of two layers and some batches, of different random sizes."""
    d_in, d_hidden, d_out = (int(n) for n in rng.integers(2, 6, size=3))
    weights = [randn(torch_rng, d_in, d_hidden), randn(torch_rng, d_hidden, d_out)]
    batches = [
        (randn(torch_rng, n, d_in), randn(torch_rng, n, d_out))
        for n in rng.integers(1, 8, size=steps).tolist()
    ]
    return weights, batches


def trained(weights, batches, loss=functional.mse_loss, **settings):
    """Weights and losses of a plain loop."""
    params = [w.clone().requires_grad_() for w in weights]
    optimizer = torch.optim.SGD(params, **settings)
    losses = []
    for x, y in batches:
        optimizer.zero_grad()
        value = loss(forward(params, x), y)
        value.backward()
        optimizer.step()
        losses.append(value.item())
    return [p.detach() for p in params], losses


def close(found, expected, what):
    expect(found, what).close(expected, rtol=1e-10, atol=1e-10)


@pytest.mark.exercise("train_loop", weight=2)
def test_follows_a_plain_loop(impl, rng, torch_rng):
    """The weights are those of a plain loop with torch's SGD, with and without momentum"""
    weights, batches = new_run(rng, torch_rng, 12)
    settings = {"lr": float(rng.uniform(0.01, 0.1)), "momentum": float(rng.uniform(0.5, 0.9))}
    expected, _ = trained(weights, batches, **settings)
    found = impl.scenarios.train_run(weights, batches, **settings)
    close(found["weights"], expected, "the weights")


@pytest.mark.exercise("train_loop")
def test_losses_are_floats_before_the_step(impl, rng, torch_rng):
    """The loss of each batch before its step is reported as a float"""
    weights, batches = new_run(rng, torch_rng, 6)
    _, losses = trained(weights, batches, lr=0.05)
    found = impl.scenarios.train_run(weights, batches, lr=0.05)["losses"]
    for loss in expect(found, "the losses").is_a(list):
        expect(loss, "a loss").is_a(float)
    close(found, losses, "the losses")


@pytest.mark.exercise("train_loop")
def test_stale_gradients_do_not_count(impl, rng, torch_rng):
    """Gradients from before the training are ignored"""
    weights, batches = new_run(rng, torch_rng, 1)
    expected, _ = trained(weights, batches, lr=0.05)
    stale = float(rng.uniform(1, 9))
    found = impl.scenarios.train_run(weights, batches, stale=stale, lr=0.05)
    close(found["weights"], expected, "the weights")


@pytest.mark.exercise("train_loop")
def test_any_loss(impl, rng, torch_rng):
    """The given loss function is called with outputs first and targets second"""
    weights, batches = new_run(rng, torch_rng, 4)
    batches = [(x, y.sigmoid()) for x, y in batches]
    for loss in ("l1_loss", BCE):
        expected, losses = trained(weights, batches, getattr(functional, loss), lr=0.05)
        found = impl.scenarios.train_run(weights, batches, loss=loss, lr=0.05)
        close(found["weights"], expected, "the weights")
        close(found["losses"], losses, "the losses")


@pytest.mark.exercise("train_loop")
def test_trains_in_training_mode(impl, rng, torch_rng):
    """The model is put into training mode"""
    weights = [torch.ones(1, 1, dtype=torch.float64)]
    x = torch.full((400, 1), float(rng.uniform(1, 2)), dtype=torch.float64)
    batches = [(x, torch.zeros_like(x))]
    (loss,) = impl.scenarios.train_run(weights, batches, eval_mode=True, dropout=True, lr=0.1)[
        "losses"
    ]
    # Half of 400 inputs are doubled, the others dropped: the mean square is about 2x², not x².
    share = loss / (2 * x[0, 0].item()) ** 2
    expect(share * 400, "inputs that dropout left").close(round(share * 400), rtol=1e-9)
    assert 120 < share * 400 < 280, "dropout was off"  # 8 standard deviations; 100 without dropout


@pytest.mark.exercise("train_loop")
def test_one_batch_at_a_time(impl, rng, torch_rng):
    """Each batch has one forward pass, one backward pass and its step before the next is taken"""
    weights, batches = new_run(rng, torch_rng, int(rng.integers(2, 6)))
    found = impl.scenarios.train_run(weights, batches, lr=0.05)
    expect(found["events"], "events").equals(["take", "forward", "backward", "step"] * len(batches))
    close(found["weights"], trained(weights, batches, lr=0.05)[0], "the weights")


@pytest.mark.exercise("train_loop")
def test_no_batches(impl, rng, torch_rng):
    """Without batches there are no losses, and nothing changes"""
    weights, batches = new_run(rng, torch_rng, 1)
    found = impl.scenarios.train_run(weights, [], lr=0.05)
    expect(found["losses"], "the losses").equals([])
    expect(found["weights"], "the weights").equals(weights)
    found = impl.scenarios.train_run(weights, batches, lr=0.05)
    close(found["weights"], trained(weights, batches, lr=0.05)[0], "the weights")


# --- accumulation -----------------------------------------------------------


def whole_batch(weights, x, y, loss=functional.mse_loss):
    """Gradients and loss of the whole batch, computed at once."""
    params = [w.clone().requires_grad_() for w in weights]
    value = loss(forward(params, x), y)
    value.backward()
    return [p.grad for p in params], value.item()


def new_batch(rng, torch_rng, rows):
    weights, _ = new_run(rng, torch_rng, 0)
    x = randn(torch_rng, rows, len(weights[0]))
    return weights, x, randn(torch_rng, rows, weights[1].shape[1])


@pytest.mark.exercise("accumulate_gradients", weight=2)
def test_gradients_are_the_whole_batchs(impl, rng, torch_rng):
    """Gradients are those of the whole batch, whether the micro-batch divides it or not"""
    for rows, micro in [(12, 4), (13, 4), (7, 3), (5, 1), (9, 8)]:
        weights, x, y = new_batch(rng, torch_rng, rows)
        expected, _ = whole_batch(weights, x, y)
        found = impl.scenarios.accumulate_run(weights, x, y, micro_batch=micro)
        close(found["grads"], expected, f"gradients of {rows} rows by {micro}")


@pytest.mark.exercise("accumulate_gradients")
def test_loss_is_the_whole_batchs(impl, rng, torch_rng):
    """The result is the mean loss of the whole batch, as a float"""
    for rows, micro in [(12, 4), (13, 4), (5, 3)]:
        weights, x, y = new_batch(rng, torch_rng, rows)
        y = y.sigmoid()
        expected, loss = whole_batch(weights, x, y, getattr(functional, BCE))
        found = impl.scenarios.accumulate_run(weights, x, y, micro_batch=micro, loss=BCE)
        close(found["grads"], expected, "gradients")
        close(expect(found["loss"], "the loss").is_a(float), loss, "the loss")


@pytest.mark.exercise("accumulate_gradients")
def test_micro_batches_are_slices_in_order(impl, rng, torch_rng):
    """All micro-batches except the last are full; a larger size than the batch gives one"""
    for rows, micro in [(12, 4), (13, 4), (4, 4), (3, 4), (2, 1), (6, 1000)]:
        weights, x, y = new_batch(rng, torch_rng, rows)
        found = impl.scenarios.accumulate_run(weights, x, y, micro_batch=micro)
        full, rest = divmod(rows, micro)
        expect(found["rows"], "rows").equals([micro] * full + [rest] * bool(rest))
        close(found["grads"], whole_batch(weights, x, y)[0], "gradients")


@pytest.mark.exercise("accumulate_gradients")
def test_one_graph_at_a_time(impl, rng, torch_rng):
    """Each micro-batch's backward pass comes before the next one's forward pass"""
    weights, x, y = new_batch(rng, torch_rng, 2 * int(rng.integers(3, 6)))
    found = impl.scenarios.accumulate_run(weights, x, y, micro_batch=2)
    expect(found["events"], "events").equals(["forward", "backward"] * (len(x) // 2))
    close(found["grads"], whole_batch(weights, x, y)[0], "gradients")


@pytest.mark.exercise("accumulate_gradients")
def test_earlier_gradients_are_added_to(impl, rng, torch_rng):
    """Existing gradients are added to, and the weights do not change"""
    weights, x, y = new_batch(rng, torch_rng, 7)
    before = [randn(torch_rng, *weights[0].shape), None]
    expected, _ = whole_batch(weights, x, y)
    found = impl.scenarios.accumulate_run(weights, x, y, micro_batch=3, before=before)
    close(found["grads"], [expected[0] + before[0], expected[1]], "gradients")
    expect(found["weights"], "the weights").equals(weights)


@pytest.mark.exercise("accumulate_gradients")
def test_frozen_weights_get_none(impl, rng, torch_rng):
    """A frozen weight gets no gradient"""
    weights, x, y = new_batch(rng, torch_rng, 6)
    expected, _ = whole_batch(weights, x, y)
    found = impl.scenarios.accumulate_run(weights, x, y, micro_batch=4, frozen=[0])
    close(found["grads"][1], expected[1], "the gradient")
    expect(found["grads"][0], "the frozen weight's gradient").equals(None)


@pytest.mark.exercise("accumulate_gradients")
def test_refuses_what_makes_no_batch(impl, rng, torch_rng):
    """No rows, missing targets and micro-batches below 1 are refused before anything changes"""
    weights, x, y = new_batch(rng, torch_rng, 6)
    before = [randn(torch_rng, *w.shape) for w in weights]
    for inputs, targets, micro in [
        (x, y, 0),
        (x, y, -2),
        (x[:0], y[:0], 2),
        (x, y[:5], 2),
        (x[:4], y, 4),
        (x[:5], y, 2),
    ]:
        found = impl.scenarios.accumulate_run(
            weights, inputs, targets, micro_batch=micro, before=before
        )
        assert found["refused"], f"{len(inputs)} rows, {len(targets)} targets, {micro} at a time"
        expect(found["grads"], "gradients").equals(before)
    found = impl.scenarios.accumulate_run(weights, x[:1], y[:1], micro_batch=1)
    close(found["grads"], whole_batch(weights, x[:1], y[:1])[0], "gradients")


# --- clipping ---------------------------------------------------------------


def norm_of(grads):
    return math.sqrt(math.fsum(float(v) ** 2 for g in grads if g is not None for v in g.flatten()))


def new_grads(torch_rng, scale=100.0, dtype=torch.float64):
    return [
        scale * randn(torch_rng, *shape, dtype=dtype) for shape in [(3, 4), (), (5,), (2, 1, 3)]
    ]


@pytest.mark.exercise("clip_grad_norm", weight=2)
def test_clips_to_the_norm(impl, rng, torch_rng):
    """Gradients above the limit are all scaled by one factor, in place"""
    for _ in range(5):
        grads = new_grads(torch_rng)
        allowed = float(rng.uniform(0.1, 0.9)) * norm_of(grads)
        found = impl.scenarios.clip_run(grads, allowed)
        expected = [g * (allowed / norm_of(grads)) for g in grads]
        # 1e-7: torch divides by norm + 1e-6, and norms here are above 100.
        expect(found["grads"], "gradients").close(expected, rtol=1e-7)
        expect(found["held"], "what the parameters hold").equals(found["grads"])


@pytest.mark.exercise("clip_grad_norm")
def test_returns_the_norm_before(impl, rng, torch_rng):
    """The result is the norm before clipping, as a float"""
    for factor in (0.5, 2.0):
        grads = new_grads(torch_rng)
        found = impl.scenarios.clip_run(grads, factor * norm_of(grads))["norm"]
        expect(expect(found, "the norm").is_a(float), "the norm").close(norm_of(grads), rtol=1e-12)


@pytest.mark.exercise("clip_grad_norm")
def test_small_gradients_are_left_alone(impl, rng, torch_rng):
    """Gradients that are small enough do not change at all"""
    cases = [(factor, float(rng.uniform(1e-3, 1))) for factor in (1.000001, 1.5, 1e6)]
    for factor, scale in [*cases, (1.000001, 0.01)]:
        grads = new_grads(torch_rng, scale=scale)
        found = impl.scenarios.clip_run(grads, factor * norm_of(grads))
        expect(found["grads"], "gradients").equals(grads)
        expect(found["held"], "what the parameters hold").equals(grads)
        expect(found["norm"], "the norm").close(norm_of(grads), rtol=1e-12)


@pytest.mark.exercise("clip_grad_norm")
def test_takes_a_generator(impl, rng, torch_rng):
    """The parameters may come from a generator"""
    grads = new_grads(torch_rng)
    allowed = float(rng.uniform(0.1, 0.9)) * norm_of(grads)
    found = impl.scenarios.clip_run(grads, allowed, generator=True)
    expected = [g * (allowed / norm_of(grads)) for g in grads]
    expect(found["grads"], "gradients").close(expected, rtol=1e-7)
    expect(found["norm"], "the norm").close(norm_of(grads), rtol=1e-12)


@pytest.mark.exercise("clip_grad_norm")
def test_skips_parameters_without_a_gradient(impl, rng, torch_rng):
    """Parameters without a gradient are skipped; without any the norm is 0"""
    grads = [None, *new_grads(torch_rng), None]
    allowed = float(rng.uniform(0.1, 0.9)) * norm_of(grads)
    found = impl.scenarios.clip_run(copy.deepcopy(grads), allowed)
    scale = allowed / norm_of(grads)
    expected = [g * scale for g in grads if g is not None]
    assert found["grads"][0] is None
    assert found["held"][-1] is None
    expect(found["grads"][1:-1], "gradients").close(expected, rtol=1e-7)
    for none in ([], [None], [None, None]):
        expect(impl.scenarios.clip_run(none, allowed)["norm"], "the norm of none").equals(0.0)


@pytest.mark.exercise("clip_grad_norm")
def test_squares_do_not_overflow(impl, rng, torch_rng):
    """Gradients whose squares overflow their dtype are clipped correctly"""
    for dtype, scale, rtol in [(torch.float32, 1e30, 1e-6), (torch.float16, 1e4, 4e-3)]:
        values = 1 + torch.rand(40, generator=torch_rng, dtype=torch.float64)
        grads = [(scale * values).to(dtype)]
        allowed = float(rng.uniform(1, 3))
        found = impl.scenarios.clip_run(grads, allowed)
        expect(found["norm"], "the norm").close(norm_of(grads), rtol=1e-6)
        # Each element is rounded to its dtype once: a relative error of 2**-24 and 2**-11.
        expected = (grads[0].double() * (allowed / norm_of(grads))).to(dtype)
        expect(found["grads"][0], "the gradient").close(expected, rtol=rtol)


@pytest.mark.exercise("clip_grad_norm")
def test_gradients_of_several_dtypes(impl, rng, torch_rng):
    """Gradients of several dtypes share one norm, and keep their dtypes"""
    grads = [
        g.to(d)
        for g, d in zip(new_grads(torch_rng), [torch.float32, torch.float64] * 2, strict=True)
    ]
    allowed = float(rng.uniform(0.1, 0.9)) * norm_of(grads)
    found = impl.scenarios.clip_run(grads, allowed)
    expect(found["norm"], "the norm").close(norm_of(grads), rtol=1e-6)
    expected = [(g.double() * (allowed / norm_of(grads))).to(g.dtype) for g in grads]
    expect(found["grads"], "gradients").close(expected, rtol=1e-6)


@pytest.mark.exercise("clip_grad_norm")
def test_refuses_norms_that_are_not_finite(impl, rng, torch_rng):
    """A norm of inf or nan is refused, and nothing changes"""
    for bad in (math.inf, -math.inf, math.nan):
        grads = new_grads(torch_rng)
        grads[2][int(rng.integers(5))] = bad
        found = impl.scenarios.clip_run(grads, 1.0)
        expect(found["raised"], "the exception").equals("RuntimeError")
        for g, seen in zip(grads, found["grads"], strict=True):
            assert torch.equal(g.nan_to_num(nan=1e9), seen.nan_to_num(nan=1e9)), "it was changed"
    grads = new_grads(torch_rng)
    found = impl.scenarios.clip_run(grads, 1.0)
    expect(found["norm"], "the norm").close(norm_of(grads), rtol=1e-12)


@pytest.mark.exercise("clip_grad_norm")
def test_refuses_a_limit_that_is_not_positive(impl, rng, torch_rng):
    """A max_norm that is not more than 0 is refused, and nothing changes"""
    grads = new_grads(torch_rng)
    for limit in (0.0, -1.0, math.nan, -math.inf):
        found = impl.scenarios.clip_run(grads, limit)
        expect(found["raised"], "the exception").equals("ValueError")
        expect(found["grads"], "gradients").equals(grads)
    found = impl.scenarios.clip_run(grads, 1e-3)
    expect(found["norm"], "the norm").close(norm_of(grads), rtol=1e-12)
