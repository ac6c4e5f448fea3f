"""Training, on models small enough to follow by hand."""

import math

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
    one = [(tensor([1.0]), tensor([0.0]))]
    for batches, mode in (([], True), (one, True), (one, "layers")):  # of its layers alone
        found = impl.scenarios.train_run([tensor([1.0])], batches, eval_mode=mode, lr=0.25)
        expect(len(found["losses"]), "the number of losses").equals(len(batches))
        expect(found["evaluating"], "what is in evaluation mode").equals(
            [], hint="call model.train() first, and leave the model in training mode"
        )


@pytest.mark.exercise("train_loop")
def test_any_optimizer_and_old_gradients(impl, rng):
    """The optimizer steps, with decay and momentum; old gradients are ignored, losses are exact"""
    lr, decay, momentum = 0.1, 0.3, 0.8
    w, shift, velocity = 1.0, 0.5, [0.0, 0.0]
    batches, losses = [], []
    for x, y in rng.uniform(-2, 2, size=(4, 2)).tolist():
        batches.append((tensor([x]), tensor([y])))
        error = w * x + shift - y
        losses.append(error**2)
        grads = 2 * error * x + decay * w, 2 * error + decay * shift
        velocity = [momentum * v + g for v, g in zip(velocity, grads, strict=True)]
        w, shift = w - lr * velocity[0], shift - lr * velocity[1]
    found = impl.scenarios.train_run(
        *([tensor([1.0])], batches),
        stale=7.0,
        shift=tensor([0.5]),  # a parameter of the loss
        unused=tensor([1.0]),
        eval_mode="layers",
        mask=lambda shape: torch.ones(shape, dtype=torch.float64),
        lr=lr,
        weight_decay=decay,
        momentum=momentum,
    )
    expect(found["losses"], "the losses").close(losses, rtol=1e-9)
    expect(found["weights"][0], "the weight").close(tensor([w]), rtol=1e-9)
    expect(found["shift"], "the loss's own parameter").close(tensor([shift]).view(1, 1), rtol=1e-9)
    expect(found["unused"], "a parameter that no batch uses").equals(
        tensor([1.0]).view(1, 1), hint="gradients are None, so that nothing decays"
    )


@pytest.mark.exercise("train_loop")
def test_inputs_and_targets_as_they_are(impl, rng, torch_rng):
    """Tokens stay integers, classes come second in the loss, and a batch of nan is a batch"""
    w = torch.randn(1, 4, generator=torch_rng, dtype=torch.float64)
    tokens = torch.from_numpy(rng.integers(7, 99, size=(5, 1)))
    classes = torch.from_numpy(rng.integers(4, size=5))
    leaf = w.clone().requires_grad_()
    loss = torch.nn.functional.cross_entropy((tokens % 7).double() @ leaf, classes)
    loss.backward()
    found = impl.scenarios.train_run([w], [(tokens, classes)], loss="cross_entropy", lr=0.1)
    expect(found["losses"], "the loss").close([loss.item()], rtol=1e-9)
    expect(found["weights"][0], "the weights").close(w - 0.1 * leaf.grad, rtol=1e-9, atol=1e-12)
    # Two rows of one output each: without its axis, each output would meet both targets.
    x, y = tensor([1.0], [2.0]), tensor([3.0], [5.0])
    found = impl.scenarios.train_run([tensor([1.0])], [(x, y), (x, y * float("nan"))], lr=0.0)
    expect(found["losses"][:1], "the loss of two rows").close([6.5], rtol=1e-12)
    expect([math.isnan(value) for value in found["losses"]], "which losses are nan").equals(
        [False, True]
    )
    expect(bool(found["weights"][0].isnan()), "is the weight nan after a batch of nan").equals(True)


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


@pytest.mark.exercise("accumulate_gradients")
def test_random_micro_batches(impl, rng, torch_rng):
    """Any split gives the gradient of the whole batch, added to what is there, slice by slice"""
    for i in range(6):
        rows, micro_batch = int(rng.integers(2, 12)), int(rng.integers(1, 9)) + 20 * (i == 5)
        tokens = torch.from_numpy(rng.integers(7, 99, size=(rows, 2)))
        classes = torch.from_numpy(rng.integers(3, size=rows))
        w = torch.randn(2, 3, generator=torch_rng, dtype=torch.float64)
        before = torch.randn(2, 3, generator=torch_rng, dtype=torch.float64)
        events = []

        def forward(inputs, events=events):
            events.append(inputs)
            return 1.0

        def backward(events=events):
            events.append("backward")
            return 1.0

        found = impl.scenarios.accumulate_run(
            *([w], tokens, classes),
            micro_batch=micro_batch,
            loss="cross_entropy",
            before=[before],
            unused=tensor([1.0]),
            eval_mode=i % 2 == 0,
            forward_factor=forward,
            backward_factor=backward,
        )
        leaf = w.clone().requires_grad_()
        loss = torch.nn.functional.cross_entropy((tokens % 7).double() @ leaf, classes)
        loss.backward()
        what = f"{rows} rows, {micro_batch} at a time"
        expect(events[1::2], f"every second event of {what}").equals(
            ["backward"] * len(events[1::2]),
            hint="the backward pass of a micro-batch comes before the next forward pass",
        )
        expect(events[::2], f"inputs of the forward passes of {what}").equals(
            list(tokens.split(micro_batch))
        )
        expect(found["loss"], f"the loss of {what}").close(loss.item(), rtol=1e-9)
        expect(found["grads"][0], f"the gradient of {what}").close(
            before + leaf.grad, rtol=1e-9, atol=1e-12
        )


@pytest.mark.exercise("accumulate_gradients")
def test_nan_and_outputs_of_one_column(impl):
    """A row of nan makes the loss nan, and outputs keep an axis of size 1"""
    x, y = tensor([1.0], [2.0]), tensor([3.0], [5.0])
    found = impl.scenarios.accumulate_run([tensor([1.0])], x, y, micro_batch=2)
    expect(found["loss"], "the loss").close(6.5, rtol=1e-12, hint="(4 + 9) / 2")
    y[1] = float("nan")
    found = impl.scenarios.accumulate_run([tensor([1.0])], x, y, micro_batch=1)
    expect(math.isnan(found["loss"]), "is the loss nan").equals(True)
    expect(bool(found["grads"][0].isnan()), "is the gradient nan").equals(True)


@pytest.mark.exercise("accumulate_gradients")
def test_refuses_before_any_gradient_changes(impl):
    """No rows, micro-batches of none, and too few or too many targets are refused at once"""
    x, y, w = torch.ones(3, 1).double(), torch.zeros(3, 1).double(), tensor([1.0]).view(1, 1)
    found = impl.scenarios.accumulate_run([w], x, y, micro_batch=3, before=[w])
    expect(found["grads"][0], "the gradient").close(tensor([3.0]).view(1, 1), rtol=1e-12)
    for inputs, targets, micro_batch in [
        *((x, y, 0), (x, y, -1), (x, y[:2], 1), (x[:2], y, 1), (x[:0], y[:0], 2), (x, y[:0], 1)),
    ]:
        with pytest.raises(ValueError):
            impl.scenarios.accumulate_run([w], inputs, targets, micro_batch=micro_batch, before=[w])


@pytest.mark.exercise("clip_grad_norm")
def test_clips_three_four_five(impl):
    """Gradients 3 and 4 have norm 5; clipped to 1 they are 0.6 and 0.8"""
    found = impl.scenarios.clip_run([tensor(3.0), tensor(4.0)], 1.0)
    expect(found["norm"], "the norm").close(5.0, rtol=1e-12, hint="the norm before clipping")
    expect(found["grads"], "the gradients").close(
        [tensor(0.6), tensor(0.8)], rtol=1e-6, hint="all are multiplied by max_norm / norm"
    )


@pytest.mark.exercise("clip_grad_norm")
def test_frozen_parameters_with_a_gradient(impl):
    """A gradient counts and is clipped even if its parameter requires none by now"""
    found = impl.scenarios.clip_run([tensor(3.0), tensor(4.0)], 1.0, frozen=True)
    expect(found["norm"], "the norm").close(5.0, rtol=1e-12, hint="skip where p.grad is None")
    expect(found["grads"], "the gradients").close([tensor(0.6), tensor(0.8)], rtol=1e-6)


@pytest.mark.exercise("clip_grad_norm")
def test_small_gradients_stay(impl):
    """Gradients of norm 5 and a None do not change if the limit is 10"""
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


@pytest.mark.exercise("clip_grad_norm")
def test_random_gradients_of_any_dtype(impl, torch_rng):
    """The norm is exact in any dtypes together, empty gradients too, and only above it one moves"""
    for kinds, size in [
        ((torch.float64, torch.float64), 1.0),
        ((torch.float32, torch.float64), 1e30),
        ((torch.float16, torch.bfloat16), 6e4),
        ((torch.float16, torch.float32), 6e-5),
        ((torch.bfloat16, torch.bfloat16), 1e-3),
    ]:
        grads = [
            (torch.rand(shape, generator=torch_rng, dtype=torch.float64) * size).to(kind)
            for shape, kind in zip([(3, 2), (4,)], kinds, strict=True)
        ]
        grads += [None, torch.zeros(0)]
        every = [g.double().square().sum().item() for g in grads if g is not None]
        norm = math.sqrt(math.fsum(every))
        for limit in (norm * (1 - 1e-10), norm / 3, norm * (1 + 1e-10), math.inf):
            found = impl.scenarios.clip_run(grads, limit, generator=True)
            expect(found["norm"], f"the norm of {kinds}").close(
                norm, rtol=1e-12, hint="compute it in float64"
            )
            for n, g in enumerate(grads):
                what = f"gradient {n} of {kinds}, with a limit of {limit / norm!r} norms"
                if g is None or limit > norm:
                    expect(found["grads"][n], what).equals(g)
                    continue
                precision = 1e-12 if g.dtype is torch.float64 else 2 * torch.finfo(g.dtype).eps
                smallest = 0.0 if g.dtype is not torch.float16 else 2.0**-24
                expect(found["grads"][n], what).close(
                    (g.double() * (limit / norm)).to(g.dtype), rtol=precision, atol=smallest
                )


@pytest.mark.exercise("clip_grad_norm")
def test_extreme_norms_and_limits(impl):
    """Without gradients or elements the norm is 0.0, zeros stay, factors of any size are right"""
    for grads in ([], [None, None], [tensor(0.0, 0.0)], [torch.zeros(0)]):
        expect(impl.scenarios.clip_run(grads, 1.0)["norm"], f"the norm of {grads}").equals(0.0)
    found = impl.scenarios.clip_run([tensor(0.0, 0.0)], 1e-9)
    expect(found["grads"], "gradients of 0").equals([tensor(0.0, 0.0)])
    found = impl.scenarios.clip_run([tensor(3e-7, 4e-7)], 1e-7)
    expect(found["grads"][0], "tiny gradients").close(tensor(0.6e-7, 0.8e-7), rtol=1e-9)
    # 2^-12 of 2^15 is 8, although in fp16 2^-27 of it would be 0.
    half = torch.tensor([2.0**15], dtype=torch.float16)
    large = torch.tensor([2.0**40], dtype=torch.float32)
    found = impl.scenarios.clip_run([half, large], 2.0**13)
    expect(found["grads"][0], "the small one beside a large one").close(
        torch.tensor([2.0**-12], dtype=torch.float16), rtol=1e-2
    )
    for limit in (float("nan"), -1.0):
        for grads in ([tensor(3.0)], []):
            found = impl.scenarios.clip_run(grads, limit, refused=True)
            expect(found["norm"], f"the norm, with a limit of {limit}").equals(None)
    for bad in (math.inf, math.nan):
        found = impl.scenarios.clip_run([tensor(bad)], math.inf, refused=True)
        expect(found["norm"], f"the norm of {bad} without a limit").equals(None)
