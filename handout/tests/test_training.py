"""Training, on models small enough to follow by hand."""

import pytest
import torch

from assignment.expect import expect


def tensor(*values):
    return torch.tensor(values, dtype=torch.float64)


@pytest.mark.exercise("train_loop")
def test_one_step_by_hand(impl):
    """With w = 1, x = 1, target 0 and lr = 0.25, the loss is 1 and w becomes 0.5"""
    batch = (tensor([1.0]), tensor([0.0]))
    found = impl.scenarios.train_run([tensor([1.0])], [batch], lr=0.25)
    expect(found["losses"], "the losses").close([1.0], rtol=1e-12)
    expect(found["weights"][0], "the weight").close(tensor([0.5]), rtol=1e-12)


@pytest.mark.exercise("train_loop")
def test_gradients_do_not_pile_up(impl):
    """Three steps halve the weight three times, even if old gradients exist"""
    batch = (tensor([1.0]), tensor([0.0]))
    found = impl.scenarios.train_run([tensor([1.0])], [batch] * 3, stale=7.0, lr=0.25)
    expect(found["weights"][0], "the weight").close(
        tensor([0.125]), rtol=1e-12, hint="clear the gradients at the start of each step"
    )
    expect(found["losses"], "the losses").close([1.0, 0.25, 0.0625], rtol=1e-12)


@pytest.mark.exercise("train_loop")
def test_training_mode_comes_first(impl):
    """A model in evaluation mode is in training mode before the first batch, and at the end"""
    for batches in ([], [(tensor([1.0]), tensor([0.0]))]):
        found = impl.scenarios.train_run([tensor([1.0])], batches, eval_mode=True, lr=0.25)
        expect(len(found["losses"]), "the number of losses").equals(len(batches))


@pytest.mark.exercise("accumulate_gradients")
def test_accumulated_gradient_is_the_batchs(impl, torch_rng):
    """64 rows, 16 at a time, give the gradient and the loss of all 64"""
    w, x, y = (
        torch.randn(shape, generator=torch_rng, dtype=torch.float64)
        for shape in [(8, 3), (64, 8), (64, 3)]
    )
    rows = []

    def forward_factor(inputs):
        rows.append(len(inputs))
        return 1.0  # the model's outputs are multiplied by it

    found = impl.scenarios.accumulate_run([w], x, y, micro_batch=16, forward_factor=forward_factor)
    whole = w.clone().requires_grad_()
    loss = torch.nn.functional.mse_loss(x @ whole, y)
    loss.backward()
    expect(rows, "rows in each forward pass").equals([16, 16, 16, 16])
    expect(found["grads"][0], "the gradient").close(
        whole.grad, rtol=1e-10, atol=1e-12, hint="each loss is a mean over its own rows"
    )
    expect(found["loss"], "the loss").close(loss.item(), rtol=1e-10)


@pytest.mark.exercise("accumulate_gradients")
def test_a_smaller_last_micro_batch_counts_less(impl):
    """Rows 3, 0, 0, two at a time, with w = 1 and target 0 give a gradient of 6 and a loss of 3"""
    x, y = tensor([3.0], [0.0], [0.0]), tensor([0.0], [0.0], [0.0])
    found = impl.scenarios.accumulate_run([tensor([1.0])], x, y, micro_batch=2)
    expect(found["grads"][0], "the gradient").close(tensor([6.0]), rtol=1e-12)
    expect(found["loss"], "the loss").close(3.0, rtol=1e-12)


@pytest.mark.exercise("accumulate_gradients")
def test_a_frozen_weight_gets_no_gradient(impl):
    """With two weights of 1 and x = 1, the frozen one gets no gradient, the other one some"""
    x, y = tensor([1.0], [1.0]), tensor([0.0], [0.0])
    ones = [tensor([1.0]), tensor([1.0])]
    found = impl.scenarios.accumulate_run(
        [w.view(1, 1) for w in ones], x, y, micro_batch=1, frozen=[0]
    )
    expect(found["grads"][0], "the frozen weight's gradient").equals(None)
    expect(found["grads"][1], "the gradient").close(
        2 * tensor([1.0]).tanh().square().view(1, 1), rtol=1e-12
    )


@pytest.mark.exercise("clip_grad_norm")
def test_clips_three_four_five(impl):
    """Gradients 3 and 4 have norm 5; clipped to 1 they are 0.6 and 0.8"""
    found = impl.scenarios.clip_run([tensor(3.0), tensor(4.0)], 1.0)
    expect(found["norm"], "the norm").close(5.0, rtol=1e-12)
    expect(found["grads"], "the gradients").close(
        [tensor(0.6), tensor(0.8)], rtol=1e-6, hint="one norm over all gradients"
    )


@pytest.mark.exercise("clip_grad_norm")
def test_small_gradients_stay(impl):
    """Gradients of norm 5 do not change if the limit is 10"""
    found = impl.scenarios.clip_run([tensor(3.0), None, tensor(4.0)], 10.0, generator=True)
    expect(found["norm"], "the norm").close(5.0, rtol=1e-12)
    expect(found["grads"], "the gradients").equals([tensor(3.0), None, tensor(4.0)])


@pytest.mark.exercise("clip_grad_norm")
def test_a_refusal_changes_nothing(impl):
    """A norm of inf and a limit of 0 are refused, and no gradient changes"""
    expect(impl.scenarios.clip_run([tensor(3.0)], 1.0)["norm"], "the norm").close(3.0, rtol=1e-6)
    for grads, limit in [([tensor(3.0), tensor(float("inf"))], 1.0), ([tensor(3.0)], 0.0)]:
        found = impl.scenarios.clip_run(grads, limit, refused=True)
        expect(found["norm"], "the norm").equals(None, hint="raise before any gradient changes")
        expect(found["grads"], "the gradients").equals(grads)
