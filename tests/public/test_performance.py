"""Fast functions give the same results as slow ones. `make bench` shows how fast they are."""

import math
import time

import pytest
import torch

from assignment.expect import expect
from assignment.tensor_files import OptimizerRuns


@pytest.mark.exercise("fast_products")
def test_chain_of_products(impl):
    """Each product is followed by a leaky ReLU and a norm"""
    x = torch.tensor([[1.0, 2.0], [0.0, -1.0]])
    weight = torch.tensor([[1.0, 1.0], [0.0, 2.5]])
    # The products are (1, 6) and (0, -2.5); -2.5 becomes -2. Root mean squares: √18.5 and √2.
    once = torch.tensor([[1.0, 6.0], [0.0, -2.0]]) / torch.tensor([[18.5], [2.0]]).sqrt()
    expect(impl.performance.matmul_chain(x, [weight])).close(once, rtol=1e-5, atol=1e-6)
    found = impl.performance.matmul_chain(x.double(), [weight.double()] * 3)
    expect(found).is_tensor((2, 2), torch.float64)
    expect(found.square().mean(-1)).close(torch.ones(2, dtype=torch.float64), rtol=1e-5)


@pytest.mark.exercise("fast_training")
def test_attention_sees_no_later_position(impl):
    """The first position sees only itself"""
    q, k = torch.zeros(1, 1, 3, 2), torch.randn(1, 1, 3, 2)
    v = torch.tensor([[1.0, 0.0], [0.0, 1.0], [5.0, 5.0]]).reshape(1, 1, 3, 2)
    # All scores are equal, so each position gets the mean of the values that it sees.
    means = torch.tensor([[1.0, 0.0], [0.5, 0.5], [2.0, 2.0]]).reshape(1, 1, 3, 2)
    expect(impl.performance.causal_attention(q, k, v)).close(means, rtol=1e-5, atol=1e-6)


@pytest.mark.exercise("fast_training")
def test_training_lowers_the_loss(impl):
    """A few training steps on one text reduce its loss"""
    losses = impl.scenarios.language_model_losses(steps=30)
    expect(losses[0], "the loss before").close(math.log(16), rtol=0.2)
    assert losses[-1] < losses[0] / 4, f"the loss went from {losses[0]:.2f} to {losses[-1]:.2f}"


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
    expect(moved["params"][0]).close(torch.tensor([0.9, 2.1]), rtol=1e-5)
    expect(moved["params"][1]).close(torch.tensor([[2.9]]), rtol=1e-5)


@pytest.mark.exercise("fast_batches")
def test_batches_arrive_whole_and_in_order(impl):
    """All batches are handed out, in order and unchanged"""
    batches = [(torch.full((2, 2), float(i)),) for i in range(4)]
    source = iter(batches)
    found = impl.iterate("scenarios.prefetched", (batch for batch in source), "cpu")
    first = next(found)
    left = list(source)  # the test takes what was not taken ahead
    expect(len(left), "batches that were not taken before the first was handed out").equals(2)
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
