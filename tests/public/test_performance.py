"""Fast functions give the same results as slow ones. `make bench` shows how fast they are."""

import math
import time

import pytest
import torch
from torch.optim.adamw import adamw

from assignment.expect import expect
from assignment.material.optimizer_runs import OptimizerRuns


@pytest.mark.exercise("fast_products")
def test_chain_of_products(impl):
    """Each product is followed by a leaky ReLU and a norm"""
    x = torch.tensor([[1.0, 2.0], [0.0, -1.0]])
    weight = torch.tensor([[1.0, 1.0], [0.0, 2.5]])
    # The products are (1, 6) and (0, -2.5); -2.5 becomes -2. Root mean squares: √18.5 and √2.
    once = torch.tensor([[1.0, 6.0], [0.0, -2.0]]) / torch.tensor([[18.5], [2.0]]).sqrt()
    hint = "a leaky ReLU follows, then each row is divided by its root mean square"
    found = impl.performance.matmul_chain(x, [weight])
    expect(found).close(once, rtol=1e-5, atol=1e-6, hint=hint)
    found = impl.performance.matmul_chain(x.double(), [weight.double()] * 3)
    expect(found).is_tensor((2, 2), torch.float64)
    expect(found.square().mean(-1)).close(torch.ones(2, dtype=torch.float64), rtol=1e-5)


@pytest.mark.exercise("fast_products")
def test_random_chains(impl, torch_rng):
    """Weights may come again, each row is divided by its own size, and float64 stays"""
    drawn = torch.randn(4, 5, 5, generator=torch_rng, dtype=torch.float64)
    drawn[0] *= 1e-8
    for chain in ([0, 1], [0, 1, 2, 1, 3, 3]):
        y = drawn[chain[0]]
        for n in chain[1:]:
            y = y @ drawn[n]
            y = torch.where(y > 0, y, 0.8 * y)
            y = y / y.square().mean(-1, keepdim=True).sqrt()
        (found,) = impl.scenarios.products(list(drawn), [chain])
        expect(found, f"the chain {chain}").close(y, rtol=1e-9, atol=1e-12)


@pytest.mark.exercise("fast_training")
def test_attention_sees_no_later_position(impl):
    """The first position sees only itself"""
    q, k = torch.zeros(1, 1, 3, 2), torch.arange(6.0).reshape(1, 1, 3, 2)
    v = torch.tensor([[1.0, 0.0], [0.0, 1.0], [5.0, 5.0]]).reshape(1, 1, 3, 2)
    # All scores are equal, so each position gets the mean of the values that it sees.
    means = torch.tensor([[1.0, 0.0], [0.5, 0.5], [2.0, 2.0]]).reshape(1, 1, 3, 2)
    expect(impl.performance.causal_attention(q, k, v)).close(
        means, rtol=1e-5, atol=1e-6, hint="the score of a later position is -inf before the softmax"
    )


@pytest.mark.exercise("fast_training")
def test_training_lowers_the_loss(impl):
    """A few training steps on one text reduce its loss"""
    losses = impl.scenarios.language_model_losses(steps=30)
    expect(losses[0], "the loss before").close(math.log(16), rtol=0.2)
    assert losses[-1] < losses[0] / 4, f"the loss went from {losses[0]:.2f} to {losses[-1]:.2f}"


@pytest.mark.exercise("fast_training")
def test_random_attention(impl, torch_rng):
    """Scores are divided by √d, may be huge, and later positions do not count; the dtype stays"""
    for size in (1.0, 1000.0):
        drawn = torch.randn(3, 2, 2, 5, 8, generator=torch_rng, dtype=torch.float64)
        q, k, v = drawn[0] * size, drawn[1], drawn[2]
        scores = q @ k.transpose(-2, -1) / 8**0.5
        later = torch.ones(5, 5).triu(1).bool()
        expected = scores.masked_fill(later, -math.inf).softmax(-1) @ v
        found = impl.performance.causal_attention(q, k, v)
        expect(found, f"attention with scores of about {size:g}").close(
            expected, rtol=1e-9, atol=1e-12
        )
    q = torch.full((1, 1, 2, 1), 1000.0)
    k, v = torch.tensor([-1.0, 1.0]).view(1, 1, 2, 1), torch.tensor([3.0, 5.0]).view(1, 1, 2, 1)
    expect(
        impl.performance.causal_attention(q, k, v), "the first sees itself, by a low score"
    ).close(torch.tensor([3.0, 5.0]).view(1, 1, 2, 1), rtol=1e-6)


@pytest.mark.exercise("fast_training")
def test_a_batch_twice_is_the_same_mean(impl, torch_rng):
    """A batch that comes twice gives the same step, since the loss is a mean"""
    tokens = torch.randint(7, (3, 6), generator=torch_rng)
    how = {"vocabulary": 7, "dtype": torch.float64}
    once = impl.scenarios.language_model_updates([tokens], **how)
    others = impl.scenarios.language_model_updates([(tokens + 1) % 7], **how)
    assert any(not torch.equal(p, q) for p, q in zip(once, others, strict=True)), (
        "another batch gives the same parameters: has the optimizer stepped?"
    )
    twice = impl.scenarios.language_model_updates([torch.cat([tokens, tokens])], **how)
    for i, (p, other) in enumerate(zip(once, twice, strict=True)):
        expect(p, f"parameter {i}").is_tensor(p.shape, torch.float64)
        expect(other, f"parameter {i} after the batch came twice").close(p, rtol=1e-9, atol=1e-12)


@pytest.mark.exercise("fast_adamw")
def test_adamw_of_two_tensors(impl):
    """The first step moves each number by the learning rate, against its gradient"""
    params = [torch.tensor([1.0, 2.0]), torch.tensor([[3.0]])]
    grads = [torch.tensor([[0.5, -0.5]]), torch.tensor([[[2.0]]])]  # of one step
    zeros = [[torch.zeros_like(p) for p in params] for _ in range(2)]
    settings = {"lr": 0.1, "betas": (0.9, 0.99), "eps": 1e-8, "weight_decay": 0.0}
    moved = OptimizerRuns(impl).steps(
        "performance.adamw_update", params, grads, zeros, first_step=1, **settings
    )
    hint = "change the parameters themselves, by m̂ / (√v̂ + eps)"
    expect(moved["params"][0], "params[0]").close(torch.tensor([0.9, 2.1]), rtol=1e-5, hint=hint)
    expect(moved["params"][1], "params[1]").close(torch.tensor([[2.9]]), rtol=1e-5, hint=hint)


@pytest.mark.exercise("fast_adamw")
def test_adamw_is_torchs(impl, torch_rng):
    """Several steps are torch's, with decay, corrections and moments that are kept in place"""
    settings = {"lr": 0.1, "betas": (0.8, 0.95), "eps": 0.3, "weight_decay": 0.2}
    torchs = {name: value for name, value in settings.items() if name != "betas"}
    torchs["beta1"], torchs["beta2"] = settings["betas"]
    torchs |= {"amsgrad": False, "maximize": False, "foreach": False}
    runs, done = OptimizerRuns(impl), []
    for first in (1, 4):
        drawn = torch.randn(9, 2, 3, generator=torch_rng, dtype=torch.float64)
        params, moments = [drawn[0, 0], drawn[0, 1]], [[d[0], d[1].abs()] for d in drawn[1:3].abs()]
        if first == 1:
            moments = [[torch.zeros_like(p) for p in params] for _ in range(2)]
        grads = [drawn[3:, 0], drawn[3:, 1]]
        left = runs.steps(
            "performance.adamw_update", params, grads, moments, first_step=first, **settings
        )
        done.append((first, params, grads, moments, left))
    for first, params, grads, moments, left in done:
        for i, p in enumerate(params):
            theirs, kept = p.clone(), [m[i].clone() for m in moments]
            for n, g in enumerate(grads[i]):
                step = torch.tensor(first + n - 1.0)
                adamw([theirs], [g.clone()], [kept[0]], [kept[1]], [], [step], **torchs)
            what = f"parameter {i} from step {first}"
            expect(left["params"][i], what).close(theirs, rtol=1e-9, atol=1e-12)
            for tensors, moment in zip(left["states"], kept, strict=True):
                expect(tensors[i], f"a moment of {what}").close(moment, rtol=1e-9, atol=1e-12)
            last = [step[i] for step in left["grads"]]
            expect(last, f"the gradients of {what}").equals(list(grads[i]))


@pytest.mark.exercise("fast_batches")
def test_batches_arrive_whole_and_in_order(impl):
    """All batches are handed out, in order and unchanged"""
    batches = [(torch.full((2, 2), float(i)),) for i in range(4)]
    source = iter(batches)
    found = impl.iterate("scenarios.prefetched", (batch for batch in source), "cpu")
    first = next(found)
    left = list(source)  # the test takes what was not taken ahead
    expect(len(batches) - len(left), "batches taken before the first is handed out").equals(2)
    expect([first, *found, *left], "the batches").equals(batches)


@pytest.mark.exercise("little_memory")
def test_segments_of_a_deep_stack(impl):
    """64 layers hold the fewest activations in eight segments"""
    expect(impl.recompute.best_segments(64), "segments of 64 layers").equals(8)


@pytest.mark.exercise("true_timer")
def test_timer_waits_for_what_it_times(impl):
    """A call that sleeps is measured with at least its sleep"""
    calls = []

    def sleep():
        calls.append(time.sleep(0.01))

    seconds = impl.device.time_function(sleep, warmup=1, repeats=3)
    expect(len(calls), "calls").equals(4)
    assert min(seconds) >= 0.0099, f"10 ms of sleep were measured as {seconds} s"
    expect(impl.device.measured_mfu(1e9, [0.5, 0.25, 1.0], 1e10), "MFU").close(0.2, rtol=1e-9)
