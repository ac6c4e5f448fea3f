"""Training, compared with torch's autograd and SGD.

Functions of the tests take part in the passes of a model: they are given what the model computes,
and their answers, drawn at that moment, change the result. Memory is measured from outside.

In float64 other orders of operations differ by about 1e-15 per step; 1e-10 allows for that, but not
for another formula.
"""

import math

import pytest
import torch
from torch.nn import functional

from assignment.calls.layouts import rearranged
from assignment.expect import expect
from assignment.scenarios.rolling import RollLayer

MIB = 2**20
# Of the large batch: rows of a micro-batch, features outside and inside the model, layers inside.
MICRO, NARROW, WIDE, ROLLS = 64, 8, 1024, 32


def randn(torch_rng, *shape, dtype=torch.float64):
    return rearranged(torch.randn(shape, generator=torch_rng, dtype=dtype), torch_rng)


def forward(weights, x):
    for i, weight in enumerate(weights):
        if not weight.dim():
            x = RollLayer.apply(x, weight, i)
        else:
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


def steps(weights, batches, factors=None, loss="mse_loss", shift=None, **settings):
    """Weights and loss of each step of a plain loop; outputs are multiplied by factors.

    With a shift, which is added to the outputs, it is the last of the weights.
    """
    params = [w.clone().requires_grad_() for w in (*weights, shift) if w is not None]
    optimizer = torch.optim.SGD(params, **settings)
    for (x, y), factor in zip(batches, factors or [1.0] * len(batches), strict=True):
        optimizer.zero_grad()
        outputs = forward(params[: len(weights)], x) * factor
        value = getattr(functional, loss)(sum(params[len(weights) :], outputs), y)
        value.backward()
        optimizer.step()
        yield [p.detach().clone() for p in params], value.item()


def trained(weights, batches, **how):
    """Weights and losses of a plain loop."""
    found = list(steps(weights, batches, **how))
    return found[-1][0], [loss for _, loss in found]


def gradients(found):
    return expect(found["grads"], "gradients").is_a(list)


def close(found, expected, what):
    expect(found, what).close(expected, rtol=1e-10, atol=1e-10)


def check_run(found, right):
    """Compares weights and losses with those of a plain loop."""
    close(found["weights"], right[0], "the weights")
    close(found["losses"], right[1], "the losses")


def new_masks(torch_rng):
    """A function that draws a mask as dropout does, where what is not dropped is doubled, and the
    list of what it has drawn."""
    drawn = []

    def mask(shape):
        drawn.append(2.0 * torch.randint(2, shape, generator=torch_rng))
        return drawn[-1]

    return mask, drawn


def check_memory(impl, idle, before):
    """Compares the peak with that of an idle process, and with an earlier one."""
    after = impl.peak_rss()
    assert after - before < 7 * MIB, f"{(after - before) / MIB:.1f} MiB"
    assert after - idle < 76 * MIB, f"{(after - idle) / MIB:.1f} MiB, imports included"


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
    """The loss of each batch before its step is reported, as a float of full precision"""
    weights, batches = new_run(rng, torch_rng, 6)
    _, losses = trained(weights, batches, lr=0.05)
    found = impl.scenarios.train_run(weights, batches, lr=0.05)["losses"]
    for loss in expect(found, "the losses").is_a(list):
        expect(loss, "a loss").is_a(float)
    close(found, losses, "the losses")


@pytest.mark.exercise("train_loop")
def test_stale_gradients_do_not_count(impl, rng, torch_rng):
    """Gradients from before the training are ignored; what a batch does not use stays as it is"""
    weights, batches = new_run(rng, torch_rng, 2)
    settings = {"lr": 0.05, "weight_decay": float(rng.uniform(0.1, 0.5))}
    expected, _ = trained(weights, batches, **settings)
    stale, unused = float(rng.uniform(1, 9)), randn(torch_rng, 3)
    found = impl.scenarios.train_run(weights, batches, stale=stale, unused=unused, **settings)
    close(found["weights"], expected, "the weights")
    expect(found["unused"], "the parameter that no batch uses").equals(unused)
    # The optimizer may hold a parameter of the loss, in a group of its own.
    shift = randn(torch_rng, weights[1].shape[1])
    expected, _ = trained(weights, batches, shift=shift, **settings)
    found = impl.scenarios.train_run(weights, batches, stale=stale, shift=shift, **settings)
    close(found["weights"], expected[:-1], "the weights")
    close(found["shift"], expected[-1], "the loss's parameter")


@pytest.mark.exercise("train_loop", weight=0.5)
def test_each_batch_has_its_step(impl, rng, torch_rng):
    """A batch whose loss is inf or nan has its step and its loss like any other"""
    for bad in (math.nan, math.inf):
        weights, batches = new_run(rng, torch_rng, 6)
        at = int(rng.integers(1, 5))
        batches[at][1][0, 0] = bad
        _, losses = trained(weights, batches, lr=0.05)
        found = impl.scenarios.train_run(weights, batches, lr=0.05)
        expect(len(found["losses"]), "the number of losses").equals(6)
        close(found["losses"][:at], losses[:at], "the losses before")
        # Its step spoils the weights for good.
        assert not any(math.isfinite(loss) for loss in found["losses"][at:])


@pytest.mark.exercise("train_loop")
def test_keeps_no_graphs(impl, rng, torch_rng):
    """The memory that training takes does not grow with the number of batches"""
    idle, weights = impl.peak_rss(), large_model(torch_rng)
    batches = [
        (eighths(torch_rng, MICRO, NARROW), randn(torch_rng, MICRO, NARROW, dtype=torch.float32))
        for _ in range(9)
    ]
    few, passes = Passes(rng), Passes(rng)
    impl.scenarios.train_run(weights, batches[:1], lr=0.0, **few.factors())
    before = impl.peak_rss()
    found = impl.scenarios.train_run(weights, batches, lr=0.0, **passes.factors())
    # A graph that is retained through the next forward pass takes 8 MiB, and those of eight more
    # batches 16 or more. Compare `check_large_batch`.
    check_memory(impl, idle, before)
    expect(few.events + passes.events, "passes").equals(["forward", "backward"] * 10)
    expect(passes.inputs, "inputs of the forward passes").equals([x for x, _ in batches])
    losses = [
        functional.mse_loss(forward(weights, x) * factor, y).item()
        for (x, y), factor in zip(batches, passes.drawn["forward"], strict=True)
    ]
    expect(found["losses"], "the losses").close(losses, rtol=1e-3)


@pytest.mark.exercise("train_loop")
def test_any_loss(impl, rng, torch_rng):
    """The given loss function is called with outputs first and targets second, as they are"""
    weights, batches = new_run(rng, torch_rng, 4)
    batches = [(x, y.sigmoid()) for x, y in batches]
    column = [weights[0], weights[1][:, :1]], [(x, y[:, :1]) for x, y in batches]
    classes = [(x, y.argmax(dim=1)) for x, y in batches]  # integers
    for (ws, some), loss in (
        ((weights, batches), "l1_loss"),
        ((weights, batches), BCE),
        (column, "l1_loss"),
        ((weights, classes), "cross_entropy"),
    ):
        found = impl.scenarios.train_run(ws, some, loss=loss, lr=0.05)
        check_run(found, trained(ws, some, loss=loss, lr=0.05))


@pytest.mark.exercise("train_loop")
def test_trains_in_training_mode(impl, rng, torch_rng):
    """The model is in training mode before the first batch, and stays in it; each batch has one
    forward pass"""
    weights, batches = new_run(rng, torch_rng, 4)
    for eval_mode in (True, "layers"):
        mask, masks = new_masks(torch_rng)
        found = impl.scenarios.train_run(weights, batches, eval_mode=eval_mode, mask=mask, lr=0.05)
        expect(found["evaluating"], "what is in evaluation mode").equals([])
        assert len(masks) == len(batches), "dropout was off"
        masked = [(x * m, y) for (x, y), m in zip(batches, masks, strict=True)]
        check_run(found, trained(weights, masked, lr=0.05))


@pytest.mark.exercise("train_loop")
def test_one_batch_at_a_time(impl, rng, torch_rng):
    """Each batch has one forward pass, one backward pass and its step before the next is taken"""
    weights, batches = new_run(rng, torch_rng, int(rng.integers(3, 7)))
    passes, stepped = Passes(rng), []

    def source():
        for batch in batches:
            passes.events.append("take")
            yield batch

    def after_step(weights):
        passes.events.append("step")
        stepped.append(weights)

    how = {"forward_factor": passes.forward_factor, "stepped": after_step, "lr": 0.05}
    found = impl.scenarios.train_run(weights, source(), **how)
    expect(passes.events, "events").equals(["take", "forward", "step"] * len(batches))
    expect(passes.inputs, "inputs of the forward passes").equals([x for x, _ in batches])
    expected = list(steps(weights, batches, passes.drawn["forward"], lr=0.05))
    # Before the next batch is taken: the weights after a step need its gradient.
    close(stepped, [weights for weights, _ in expected], "the weights after each step")
    close(found["losses"], [loss for _, loss in expected], "the losses")


@pytest.mark.exercise("train_loop", weight=0.5)
def test_inputs_stay_integers(impl, rng, torch_rng):
    """Inputs that are integers, such as tokens, reach the model as they are"""
    weights, batches = new_run(rng, torch_rng, 4)
    tokens = [torch.randint(2**40, 2**60, x.shape, generator=torch_rng) for x, _ in batches]
    plain = [((t % 7).to(x.dtype), y) for t, (x, y) in zip(tokens, batches, strict=True)]
    given = [(t, y) for t, (_, y) in zip(tokens, batches, strict=True)]
    found = impl.scenarios.train_run(weights, given, lr=0.005)
    check_run(found, trained(weights, plain, lr=0.005))


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


def whole_batch(weights, x, y, loss="mse_loss", forward_factor=1.0, backward_factor=1.0):
    """Gradients and loss of the whole batch, computed at once; factors may differ by row."""
    params = [w.clone().requires_grad_() for w in weights]
    outputs = forward(params, x) * forward_factor
    outputs.register_hook(lambda grad: grad * backward_factor)
    value = getattr(functional, loss)(outputs, y)
    value.backward()
    return [p.grad for p in params], value.item()


def new_batch(rng, torch_rng, rows):
    weights, _ = new_run(rng, torch_rng, 0)
    x = randn(torch_rng, rows, len(weights[0]))
    return weights, x, randn(torch_rng, rows, weights[1].shape[1])


class Passes:
    """Gives each forward and each backward pass a random factor, and notes the passes."""

    def __init__(self, rng):
        self._rng, self.events, self.inputs = rng, [], []
        self.drawn = {"forward": [], "backward": []}

    def _draw(self, event):
        self.events.append(event)
        self.drawn[event].append(float(self._rng.uniform(0.5, 2)))
        return self.drawn[event][-1]

    def forward_factor(self, x):
        self.inputs.append(x)
        return self._draw("forward")

    def backward_factor(self):
        return self._draw("backward")

    def factors(self):
        """As arguments of a scenario."""
        return {"forward_factor": self.forward_factor, "backward_factor": self.backward_factor}

    def accumulate(self, impl, *of_run, micro, **how):
        how |= self.factors()
        return impl.scenarios.accumulate_run(*of_run, micro_batch=micro, **how)

    def check_slices(self, x, micro):
        """Checks that the forward passes were on slices of `micro` rows, in order."""
        expect(self.inputs, "inputs of the forward passes").equals(list(x.split(micro)))

    def check_result(self, found, weights, x, y, **tolerance):
        """Checks that the passes were on all rows in order, and that the result follows from them.

        Backward passes are in the order of the forward passes.
        """
        expect(torch.cat(self.inputs), "inputs of all forward passes").equals(x)
        expect(self.events.count("backward"), "backward passes").equals(len(self.inputs))
        sizes = torch.tensor([len(x) for x in self.inputs])
        of_rows = {
            f"{event}_factor": torch.tensor(factors, dtype=x.dtype)[:, None].repeat_interleave(
                sizes, dim=0
            )
            for event, factors in self.drawn.items()
        }
        grads = [torch.zeros_like(w) for w in weights]
        for part in torch.arange(len(x)).split(MICRO):  # all at once would hold much memory
            factors = {name: values[part] for name, values in of_rows.items()}
            found_grads, _ = whole_batch(weights, x[part], y[part], **factors)
            for grad, of_part in zip(grads, found_grads, strict=True):
                grad += of_part * (len(part) / len(x))
        expect(found["grads"], "gradients").proportional(grads, **tolerance)


def large_model(torch_rng):
    """Weights whose activations take 8.25 MiB for a micro-batch, 0.25 for each wide layer.

    The inputs and the first matrix are small multiples of a power of two, the other weights 1 and
    -1. So the activations are exact on every processor: no rounding decides about an element of a
    relu.
    """
    return [
        eighths(torch_rng, NARROW, WIDE) / 1024,
        *(torch.tensor((-1.0) ** i) for i in range(ROLLS)),
        randn(torch_rng, WIDE, NARROW, dtype=torch.float32) / math.sqrt(WIDE),
    ]


def eighths(torch_rng, *shape):
    """Multiples of 1/8 from -1 to 1."""
    return torch.randint(-8, 9, shape, generator=torch_rng) / 8


def check_large_batch(impl, rng, torch_rng):
    """Accumulates a large batch, and checks its memory.

    The activations of a micro-batch take 8.25 MiB, those of all nine some 70 MiB.

    Two things are measured. From one micro-batch to nine, right code grows by up to 4 MiB. If a
    graph is retained until the next one is there, it grows by 8 or more, and if a sum of losses
    holds all graphs, by 14. And all growth since before the implementation was imported: else it
    could take much memory first, and free it. Imports, first calls and the right micro-batches take
    up to 58 MiB. tests/CAMPAIGNS.md has what was measured.
    """
    idle, weights = impl.peak_rss(), large_model(torch_rng)
    rows = 9 * MICRO
    x, y = eighths(torch_rng, rows, NARROW), randn(torch_rng, rows, NARROW, dtype=torch.float32)
    Passes(rng).accumulate(impl, weights, x[:MICRO], y[:MICRO], micro=MICRO)
    before, passes = impl.peak_rss(), Passes(rng)
    found = passes.accumulate(impl, weights, x, y, micro=MICRO)
    check_memory(impl, idle, before)
    passes.check_slices(x, MICRO)
    passes.check_result(found, weights, x, y, rtol=1e-3, atol=1e-5)


def check_gradients(impl, weights, x, y, micro, loss="mse_loss", seen=None):
    """Compares gradients with those of the whole batch, of which a model may have seen other
    inputs; returns the loss, and the right one."""
    expected, right = whole_batch(weights, x if seen is None else seen, y, loss)
    found = impl.scenarios.accumulate_run(weights, x, y, micro_batch=micro, loss=loss)
    close(found["grads"], expected, f"gradients of {len(x)} rows by {micro}")
    return found["loss"], right


@pytest.mark.exercise("accumulate_gradients", weight=2, needs="test_one_graph_at_a_time")
def test_gradients_are_the_whole_batchs(impl, rng, torch_rng):
    """Gradients are those of the whole batch, whether the micro-batch divides it or not"""
    for rows, micro in [(12, 4), (13, 4), (7, 3), (5, 1), (9, 8), (4, 4), (3, 4)]:
        check_gradients(impl, *new_batch(rng, torch_rng, rows), micro)
    (first, last), x, y = new_batch(rng, torch_rng, 7)
    weights = [first, last[:, :1]]  # outputs of one column
    check_gradients(impl, weights, x, y[:, :1], 3)
    more = randn(torch_rng, 7, 3, len(first))
    check_gradients(impl, weights, more, randn(torch_rng, 7, 3, 1), 3)


@pytest.mark.exercise("accumulate_gradients", needs="test_one_graph_at_a_time")
def test_loss_is_the_whole_batchs(impl, rng, torch_rng):
    """The result is the mean loss of the whole batch, as a float"""
    for rows, micro in [(12, 4), (3, 4), (13, 4), (5, 3)]:
        weights, x, y = new_batch(rng, torch_rng, rows)
        y = y.sigmoid()
        loss, right = check_gradients(impl, weights, x, y, micro, BCE)
        close(expect(loss, "the loss").is_a(float), right, "the loss")
    tokens = torch.randint(2**40, 2**60, x.shape, generator=torch_rng)
    seen = (tokens % 7).to(x.dtype)
    found = check_gradients(impl, weights, tokens, y.argmax(dim=1), 2, "cross_entropy", seen)
    close(*found, "the loss of integers")
    y[int(rng.integers(5))] = math.nan
    found = impl.scenarios.accumulate_run(weights, x, y, micro_batch=2)
    assert math.isnan(found["loss"]), "a row whose loss is nan was left out of the mean"


@pytest.mark.exercise("accumulate_gradients", needs="test_one_graph_at_a_time")
def test_micro_batches_are_slices_in_order(impl, rng, torch_rng):
    """All micro-batches except the last are full, and in the batch's order"""
    for rows, micro in [(12, 4), (13, 4), (4, 4), (3, 4), (2, 1), (6, 1000)]:
        weights, x, y = new_batch(rng, torch_rng, rows)
        passes = Passes(rng)
        passes.accumulate(impl, weights, x, y, micro=micro)
        passes.check_slices(x, micro)


@pytest.mark.exercise("accumulate_gradients")
def test_one_graph_at_a_time(impl, rng, torch_rng):
    """Each micro-batch's backward pass comes before the next one's forward pass, and frees its
    memory"""
    check_large_batch(impl, rng, torch_rng)  # first: an import could take the memory before
    for rows, micro in [(12, 4), (13, 4), (5, 2), (2, 1)]:
        passes = Passes(rng)
        passes.accumulate(impl, *new_batch(rng, torch_rng, rows), micro=micro)
        expect(passes.events, "events").equals(["forward", "backward"] * len(passes.inputs))
        largest = max(len(part) for part in passes.inputs)
        expect(largest <= micro, f"no forward pass has more than {micro} rows").equals(True)


@pytest.mark.exercise("accumulate_gradients", needs="test_one_graph_at_a_time")
def test_earlier_gradients_are_added_to(impl, rng, torch_rng):
    """Existing gradients are added to, and the weights do not change"""
    weights, x, y = new_batch(rng, torch_rng, 6)
    before = [randn(torch_rng, *weights[0].shape), None]
    expected, _ = whole_batch(weights, x, y)
    shares = []
    for times in (1, 3):  # other weights would have other gradients
        how = {"micro_batch": 3, "before": before, "times": times}
        found = impl.scenarios.accumulate_run(weights, x, y, **how)
        grads = gradients(found)
        grads[0] = expect(grads[0], "gradients").is_tensor(before[0].shape, x.dtype) - before[0]
        shares.append(expect(grads, "gradients").proportional(expected) / times)
    expect(shares[1], "the gradients of three calls, by those of one").close(shares[0], rtol=1e-9)


@pytest.mark.exercise("accumulate_gradients", needs="test_one_graph_at_a_time")
def test_works_with_frozen_weights(impl, rng, torch_rng):
    """With a frozen weight, or one that no row uses, the others get their gradients"""
    weights, x, y = new_batch(rng, torch_rng, 6)
    expected, _ = whole_batch(weights, x, y)
    for frozen in (0, 1):
        found = impl.scenarios.accumulate_run(weights, x, y, micro_batch=3, frozen=[frozen])
        expect([found["grads"][1 - frozen]], "gradients").proportional([expected[1 - frozen]])
    unused = randn(torch_rng, 3)
    found = impl.scenarios.accumulate_run(weights, x, y, micro_batch=3, unused=unused)
    expect(found["grads"], "gradients beside an unused weight").proportional(expected)


@pytest.mark.exercise("accumulate_gradients", weight=0.5, needs="test_one_graph_at_a_time")
def test_accumulation_keeps_the_mode(impl, rng, torch_rng):
    """The model is in training mode or in evaluation mode as its caller left it"""
    weights, x, y = new_batch(rng, torch_rng, 9)
    for eval_mode in (True, False):
        mask, masks = new_masks(torch_rng)
        how = {"micro_batch": 3, "eval_mode": eval_mode, "mask": mask}
        found = impl.scenarios.accumulate_run(weights, x, y, **how)
        expect(len(masks), "passes in training mode").equals(0 if eval_mode else 3)
        masked = x if eval_mode else x * torch.cat(masks)
        expected, _ = whole_batch(weights, masked, y)
        expect(found["grads"], "gradients").proportional(expected)


@pytest.mark.exercise("accumulate_gradients", needs="test_one_graph_at_a_time")
def test_refuses_what_makes_no_batch(impl, rng, torch_rng):
    """No rows, missing targets and micro-batches below 1 are refused before any forward pass"""
    weights, x, y = new_batch(rng, torch_rng, 6)
    before = [randn(torch_rng, *weights[0].shape), None]
    bad = [(x, y, 0), (x, y, -2), (x[:0], y[:0], 2), (x, y[:5], 2), (x[:4], y, 4), (x[:5], y, 2)]
    good = [(x[:1], y[:1], 1), (x[:4], y[:4], 2), (x, y, 6)]
    for i in rng.permutation(len(bad + good)):
        inputs, targets, micro = (bad + good)[i]
        passes = Passes(rng)
        if i >= len(bad):
            passes.accumulate(impl, weights, inputs, targets, micro=micro)
            continue
        with pytest.raises(ValueError):
            passes.accumulate(impl, weights, inputs, targets, micro=micro, before=before)
        expect(passes.events, "passes").equals([])


# --- clipping ---------------------------------------------------------------


def norm_of(grads):
    return math.sqrt(math.fsum(float(v) ** 2 for g in grads if g is not None for v in g.flatten()))


def new_grads(torch_rng, scale=100.0, dtype=torch.float64):
    return [
        scale * randn(torch_rng, *shape, dtype=dtype) for shape in [(3, 4), (), (5,), (2, 1, 3)]
    ]


def limit_for(rng, grads):
    """A part of the gradients' norm."""
    return float(rng.uniform(0.1, 0.9)) * norm_of(grads)


def check_norm(found, grads):
    expect(found["norm"], "the norm").close(norm_of(grads), rtol=1e-12)


def check_clipped(impl, grads, allowed, rtol=1e-7, **how):
    """Compares the gradients, but not the norm, and returns both."""
    found = impl.scenarios.clip_run(grads, allowed, **how)
    factor = allowed / norm_of(grads)
    expected = [(g.double() * factor).to(g.dtype) for g in grads if g is not None]
    expect([g for g in gradients(found) if g is not None], "gradients").close(expected, rtol=rtol)
    return found


@pytest.mark.exercise("clip_grad_norm", weight=2)
def test_clips_to_the_norm(impl, rng, torch_rng):
    """Gradients above the limit are all multiplied by max_norm / norm"""
    for scale in (100.0, 1.0, 1e-3, 1e-6, 1e-100, 1e100):
        grads = [*new_grads(torch_rng, scale=scale), randn(torch_rng, 0, 3)]
        check_clipped(impl, grads, limit_for(rng, grads), rtol=1e-12)
    grads = new_grads(torch_rng)  # slightly above the limit
    found = impl.scenarios.clip_run(grads, norm_of(grads) * (1 - 2.0**-40))
    expect([torch.equal(*pair) for pair in zip(gradients(found), grads, strict=True)]).equals(
        [False] * len(grads)
    )


@pytest.mark.exercise("clip_grad_norm")
def test_returns_the_norm_before(impl, rng, torch_rng):
    """The result is the norm before clipping, as a float"""
    for factor in (0.5, 2.0):
        grads = new_grads(torch_rng)
        found = impl.scenarios.clip_run(grads, factor * norm_of(grads))
        expect(found["norm"], "the norm").is_a(float)
        check_norm(found, grads)


@pytest.mark.exercise("clip_grad_norm")
def test_small_gradients_are_left_alone(impl, rng, torch_rng):
    """Gradients that are small enough do not change at all"""
    cases = [(factor, float(rng.uniform(1e-3, 1))) for factor in (1.000001, 1.5, 1e6)]
    for factor, scale in [*cases, (1.000001, 0.01)]:
        grads = new_grads(torch_rng, scale=scale)
        found = impl.scenarios.clip_run(grads, factor * norm_of(grads))
        expect(found["grads"], "gradients").equals(grads)
        check_norm(found, grads)
    found = impl.scenarios.clip_run(grads, math.inf)
    expect(found["grads"], "gradients without a limit").equals(grads)
    flat = [torch.zeros_like(g) for g in grads]
    found = impl.scenarios.clip_run(flat, float(rng.uniform(1e-3, 1)))
    expect(found["grads"], "gradients of 0").equals(flat)
    expect(found["norm"], "the norm of zeros").equals(0.0)


@pytest.mark.exercise("clip_grad_norm")
def test_takes_a_generator(impl, rng, torch_rng):
    """The parameters may come from a generator"""
    grads = new_grads(torch_rng)
    check_norm(check_clipped(impl, grads, limit_for(rng, grads), generator=True), grads)


@pytest.mark.exercise("clip_grad_norm")
def test_skips_parameters_without_a_gradient(impl, rng, torch_rng):
    """Parameters without a gradient are skipped, and no others, such as frozen ones that have one;
    without any the norm is 0"""
    grads = [None, *new_grads(torch_rng), None]
    allowed = limit_for(rng, grads)
    check_clipped(impl, grads, allowed, frozen=True)
    found = check_clipped(impl, grads, allowed)["grads"]
    assert found[0] is None
    assert found[-1] is None
    for none in ([], [None], [None, None]):
        expect(impl.scenarios.clip_run(none, allowed)["norm"], "the norm of none").equals(0.0)


@pytest.mark.exercise("clip_grad_norm")
def test_squares_do_not_overflow(impl, rng, torch_rng):
    """Gradients whose squares overflow their dtype are clipped correctly"""
    # Each element is rounded to its dtype once: a relative error of 2**-24, 2**-11 or 2**-8.
    cases = [
        (torch.float32, 1e30, 1.0, 1e-6),
        (torch.float16, 1e4, 1.0, 4e-3),
        # The factor is 1e-8 here, which fp16 cannot hold; the clipped gradients are normal numbers.
        (torch.float16, 3e4, 2e-3, 4e-3),
        # The factor is 0.1 or so, but neither the gradients times the limit nor the smallest of
        # them divided by the norm are numbers of fp16.
        (torch.float16, 1e4, 1e4, 4e-3),
        (torch.bfloat16, 1e30, 1.0, 2e-2),
    ]
    for dtype, scale, limit, rtol in cases:
        values = 1 + torch.rand(40, generator=torch_rng, dtype=torch.float64)
        values[:4] *= 2e-7 if limit == scale else 1.0
        grads = [(scale * values).to(dtype)]
        check_norm(check_clipped(impl, grads, limit * float(rng.uniform(1, 3)), rtol), grads)


@pytest.mark.exercise("clip_grad_norm")
def test_gradients_of_several_dtypes(impl, rng, torch_rng):
    """Gradients of several dtypes share one norm, and keep their dtypes"""
    dtypes = [torch.float32, torch.float64] * 2
    grads = [g.to(dtype) for g, dtype in zip(new_grads(torch_rng), dtypes, strict=True)]
    check_norm(check_clipped(impl, grads, limit_for(rng, grads), rtol=1e-6), grads)


def refused_or_clipped(impl, rng, torch_rng, refused, bad_cases):
    """Clips bad gradients or to bad limits, and good ones among them, in random order."""
    cases = [*bad_cases, *[None] * 3]
    expect(impl.scenarios.clip_run([], 1.0)["norm"], "the norm of none").equals(0.0)
    for i in rng.permutation(len(cases)):
        if cases[i] is not None:
            with pytest.raises(refused):
                impl.scenarios.clip_run(*cases[i])
            continue
        grads = new_grads(torch_rng)
        check_norm(check_clipped(impl, grads, float(rng.uniform(1e-3, 1))), grads)


@pytest.mark.exercise("clip_grad_norm")
def test_refuses_norms_that_are_not_finite(impl, rng, torch_rng):
    """A norm of inf or nan is refused"""
    cases = []
    for bad in (math.inf, -math.inf, math.nan):
        grads = new_grads(torch_rng)
        grads[2][int(rng.integers(5))] = bad
        cases += [(grads, limit) for limit in (1.0, math.inf)]
    refused_or_clipped(impl, rng, torch_rng, RuntimeError, cases)


@pytest.mark.exercise("clip_grad_norm")
def test_refuses_a_limit_that_is_not_positive(impl, rng, torch_rng):
    """A max_norm that is not more than 0 is refused"""
    cases = [
        (grads, limit)
        for limit in (0.0, -1.0, math.nan, -math.inf)
        for grads in (new_grads(torch_rng), [], [None])
    ]
    refused_or_clipped(impl, rng, torch_rng, ValueError, cases)
