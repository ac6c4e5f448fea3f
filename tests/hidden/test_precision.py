"""Mixed precision, judged by how far the parameters moved.

A 16-bit forward pass gives another update than a float32 one: the difference is 0.7 % of the update
in bf16 and 0.03 % in fp16, for the model here. Correct loops, however written, run the same kernels
and agree up to rounding. So an update counts as that of a 16-bit loop if it is clearly closer to
the reference's update than a float32 loop's is.
"""

import math
from functools import partial

import pytest
import torch
from torch.nn import functional

from assignment.calls.layouts import rearranged
from assignment.expect import expect
from assignment.scenarios.precision import SmallModel

D, H, K, B = 16, 32, 8, 16
SGD = {"lr": 0.1, "momentum": 0.9}
CLOSER = 0.45  # of a float32 loop's distance; measured: 0 if correct, 0.65 if half of it is cast
NEAR = 0.2  # of a float32 loop's update; measured: up to 0.05, when rounding switches a ReLU
LONG = 10**6  # an interval so long that no scale grows here


def random_weights(rng):
    scales = {(H, D): D**-0.5, (H,): 0.1, (K, H): H**-0.5, (K,): 0.1}
    return [
        torch.tensor(rng.standard_normal(shape) * scale, dtype=torch.float32)
        for shape, scale in scales.items()
    ]


def random_batches(torch_rng, steps, loss="mse_loss"):
    """Inputs in ±[1, 2), so that a relative shift has the same effect on each of them."""
    batches = []
    for _ in range(steps):
        inputs = torch.rand(B, D, generator=torch_rng) + 1
        inputs *= torch.randint(0, 2, (B, D), generator=torch_rng) * 2 - 1
        if loss == "mse_loss":
            targets = torch.randn(B, K, generator=torch_rng)
        else:
            targets = torch.randint(0, K, (B,), generator=torch_rng)
        batches.append((rearranged(inputs, torch_rng), rearranged(targets, torch_rng)))
    return batches


def shifted(batches, relative):
    return [(inputs * (1 + relative), targets) for inputs, targets in batches]


def fp16(implementation):
    """The loop in fp16, with a scale that stays the same unless a test says otherwise."""
    return partial(implementation.scenarios.fp16_run, init_scale=64.0, growth_interval=LONG)


def train_fp32(
    weights,
    batches,
    settings=SGD,
    optimizer="SGD",
    loss_weight=1.0,
    max_norm=None,
    shift=None,
    slope=0.0,
    **_,
):
    """The loop without mixed precision, from which a 16-bit loop must differ slightly."""
    model = SmallModel(weights)
    own = [] if shift is None else [torch.nn.Parameter(shift.clone())]
    params = [*model.parameters(), *own]
    made = getattr(torch.optim, optimizer)(params, **settings)
    losses = []
    for inputs, targets in batches:
        value = functional.mse_loss(sum(own, model(inputs)), targets) * loss_weight
        made.zero_grad()
        (value + sum(slope * p.sum() for p in own)).backward()
        if max_norm is not None:
            torch.nn.utils.clip_grad_norm_(params, max_norm)
        made.step()
        losses.append(value.item())
    params = [p.detach() for p in params]
    return {"params": params[: len(weights)], "losses": losses, "shift": params[-1]}


def update(result, weights):
    """The total update of the parameters, as one float64 vector."""
    params = result["params"]
    expect(len(params), "number of parameters").equals(len(weights))
    for p, w in zip(params, weights, strict=True):
        expect(p, "a parameter").is_tensor(w.shape, torch.float32)
    return torch.cat(
        [(p.double() - w.double()).flatten() for p, w in zip(params, weights, strict=True)]
    )


def distance(a, b):
    """‖a − b‖ / ‖b‖; infinite if an element is not finite."""
    value = ((a - b).norm() / b.norm()).item()
    return value if math.isfinite(value) else math.inf


def check_near(found, right, what="the update"):
    """It is wrong as any value is: a test whose rule is another one says nothing about that."""
    how_far = f"how far {what} is from the right one, of its length"
    expect(distance(found, right), how_far).close(0.0, rtol=0, atol=NEAR)


def check_trains(run, weights, batches, seen=None, what="the update", **how):
    """Checks that the update is near that of a float32 loop, on other batches if these are given.

    Returns:
        What the run reports.
    """
    how = {"settings": SGD} | how
    result = run(weights, batches, **how)
    in_fp32 = train_fp32(weights, batches if seen is None else seen, **how)
    check_near(update(result, weights), update(in_fp32, weights), what)
    return result


def check_is_16_bits(run, right, weights, batches, **how):
    """The update is closer to that of a right loop than a float32 loop's is."""
    expected = update(right(weights, batches, **how), weights)
    in_fp32 = update(train_fp32(weights, batches, **how), weights)
    found = update(run(weights, batches, **how), weights)
    expect(distance(found, expected), "how far the update is from a right loop's").close(
        0.0, rtol=0, atol=CLOSER * distance(in_fp32, expected)
    )


def check_forward_pass(run, right, rng, torch_rng, settings, **how):
    """One step from cleared gradients is closer to that of a right loop than a float32 loop's is.

    If a ReLU switches, a wrong loop may come close by chance, but not in all of six runs.
    """
    for _ in range(6):
        weights, batches = random_weights(rng), random_batches(torch_rng, 1)
        check_is_16_bits(run, right, weights, batches, settings=settings, **how)


def check_resolution(run, weights, batches, relative):
    """Inputs that differ so little give equal training; returns the update."""
    one, near = update(check_trains(run, weights, batches), weights), shifted(batches, relative)
    in_fp32 = [update(train_fp32(weights, some), weights) for some in (near, batches)]
    far = distance(update(run(weights, near, settings=SGD), weights), one)
    allowed = 0.05 * distance(*in_fp32)
    assert far < allowed, f"inputs that are equal in 16 bits: {far} apart, {allowed} is allowed"
    return one


def exact_batches(torch_rng, steps):
    """Batches whose inputs are numbers of bf16."""
    return [(x.bfloat16().float(), y) for x, y in random_batches(torch_rng, steps)]


# --- bf16 -------------------------------------------------------------------


@pytest.mark.exercise("bf16_train")
def test_bf16_forward_pass(impl, reference, rng, torch_rng):
    """One step moves the weights as a forward pass in bf16 does, not one in float32"""
    run, right = impl.scenarios.bf16_run, reference.scenarios.bf16_run
    check_forward_pass(run, right, rng, torch_rng, {"lr": 0.1})


@pytest.mark.exercise("bf16_train", weight=2, needs="test_bf16_forward_pass")
def test_bf16_updates(impl, reference, rng, torch_rng):
    """Five steps move the weights as those of a right loop do"""
    run, right = impl.scenarios.bf16_run, reference.scenarios.bf16_run
    for settings in (SGD, {"lr": 0.1}) * 3:  # six runs, as in check_forward_pass
        weights, batches = random_weights(rng), random_batches(torch_rng, 5)
        check_is_16_bits(run, right, weights, batches, settings=settings)


@pytest.mark.exercise("bf16_train", needs="test_bf16_forward_pass")
def test_bf16_resolution(impl, rng, torch_rng):
    """Inputs that are equal in bf16 give equal training, and the loop does train"""
    # A quarter of bf16's spacing, and all of fp16's: bf16 rounds it away, fp16 does not.
    batches = exact_batches(torch_rng, 4)
    check_resolution(impl.scenarios.bf16_run, random_weights(rng), batches, 2**-10)


@pytest.mark.exercise("bf16_train", needs="test_bf16_forward_pass")
def test_bf16_keeps_small_updates(impl, rng, torch_rng):
    """Updates that are too small for bf16 parameters add up over the steps"""
    weights, batches = random_weights(rng), random_batches(torch_rng, 20)
    check_trains(impl.scenarios.bf16_run, weights, batches, settings={"lr": 1e-5})


@pytest.mark.exercise("bf16_train", needs="test_bf16_forward_pass")
def test_bf16_optimizer_state(impl, reference, rng, torch_rng):
    """The optimizer gets float32 gradients of the current batch only, and has float32 state"""
    weights, batches = random_weights(rng), random_batches(torch_rng, 4)
    how = {"optimizer": "AdamW", "settings": {"lr": 1e-3}}
    expected = reference.scenarios.bf16_run(weights, batches, **how)
    result = impl.scenarios.bf16_run(weights, batches, **how)
    for n, entry in enumerate(expected["state"]):
        for name in ("exp_avg", "exp_avg_sq"):
            found = expect(result["state"][n].get(name), name).is_tensor(
                entry[name].shape, torch.float32
            )
            # bf16 state would be off by 2^-9 = 2e-3; float32 state agrees up to rounding.
            how_far = distance(found.double(), entry[name].double())
            expect(how_far, f"how far {name} is from the right one").close(0.0, rtol=0, atol=2e-4)


def check_gradients_from_before(run, rng, torch_rng, **how):
    """Gradients from before the call, large ones or nan, do not take part in the first step."""
    weights, batches = random_weights(rng), random_batches(torch_rng, 2)
    how |= {"settings": {**SGD, "weight_decay": 0.1}}
    for stale in (float(rng.uniform(1, 9)), math.nan, None):
        what = f"the update after gradients of {stale}"
        result = check_trains(run, weights, batches, what=what, stale=stale, **how)
        if "unused" in how:
            expect(result["unused"], "a parameter that no batch uses").equals(torch.ones(3))


def check_mode_stays(run, rng, torch_rng):
    """A layer doubles its inputs in training mode, which changes the update by a half."""
    # The mode of the model, and that of the layer.
    for training in ((True, True), (False, False), (True, False), (False, True)):
        weights, batches = random_weights(rng), random_batches(torch_rng, 3)
        seen = [(2 * inputs, targets) for inputs, targets in batches] if training[1] else batches
        what, how = f"the update in training mode {training}", {"settings": {"lr": 0.02}}
        result = check_trains(run, weights, batches, seen, what, training=training, **how)
        expect(result["modes_stay"], "whether each layer's mode stays").equals(True)


def check_exception(run, rng, torch_rng):
    """A batch that does not fit the model comes after a good one, and nothing is left changed."""
    weights, batches = random_weights(rng), random_batches(torch_rng, 3)
    check_trains(run, weights, batches)
    inputs, targets = batches[1]
    batches[1] = inputs[:, 1:], targets
    with pytest.raises(RuntimeError):
        run(weights, batches, settings=SGD)


def check_backward_pass(run, rng, torch_rng):
    """The loss's gradient is 0 if a product in its backward pass runs in 16 bits."""
    check_trains(run, random_weights(rng), random_batches(torch_rng, 2), loss="exact_backward")


def check_nothing_is_converted(run, rng, torch_rng):
    """The model subtracts 4096 in float32, which 16 bits cannot; a loss gets outputs in 16 bits."""
    weights, batches = random_weights(rng), exact_batches(torch_rng, 6)
    far = [(x + 4096, y) for x, y in batches]
    check_trains(run, weights, far, batches, offset=4096.0)
    how = {"settings": {"lr": 0.0}, "loss": "squares_in_16_bits"}
    losses = run(weights, batches, **how)["losses"]
    model = SmallModel(weights)
    expected = [model(x).square().mean().item() for x, _ in batches]
    expect(losses, "losses of a loss function that gets 16 bits").close(expected, rtol=3e-2)


def check_bad_losses(run, weights, batches):
    """A loss of inf or nan with finite gradients is reported, and has its step."""
    for loss, said in (("plus_infinity", "inf"), ("plus_nan", "nan")):
        what = f"the update with a loss of {said}"
        result = check_trains(run, weights, batches, what=what, loss=loss)
        reported = [str(value) for value in result["losses"]]
        expect(reported, f"losses of {said}").equals([said] * len(batches))


@pytest.mark.exercise("bf16_train", needs="test_bf16_forward_pass")
def test_bf16_clears_gradients_from_before(impl, rng, torch_rng):
    """Gradients from before the call are cleared, to None"""
    check_gradients_from_before(impl.scenarios.bf16_run, rng, torch_rng, unused=True)


@pytest.mark.exercise("bf16_train", needs="test_bf16_forward_pass")
def test_bf16_mode_stays(impl, rng, torch_rng):
    """A layer in training mode is trained in it, one in evaluation mode in that, and both stay"""
    check_mode_stays(impl.scenarios.bf16_run, rng, torch_rng)


@pytest.mark.exercise("bf16_train", weight=0.5, needs="test_bf16_forward_pass")
def test_bf16_exception_of_the_model(impl, rng, torch_rng):
    """After an exception of the model, autocast is as it was before"""
    check_exception(impl.scenarios.bf16_run, rng, torch_rng)


@pytest.mark.exercise("bf16_train", needs="test_bf16_forward_pass")
def test_bf16_backward_pass_is_outside(impl, rng, torch_rng):
    """The backward pass runs outside autocast"""
    check_backward_pass(impl.scenarios.bf16_run, rng, torch_rng)


@pytest.mark.exercise("bf16_train", needs="test_bf16_forward_pass")
def test_bf16_converts_nothing_itself(impl, rng, torch_rng):
    """With hooks, and whatever dtype inputs and outputs have, the results are right: autocast alone
    chooses dtypes"""
    check_nothing_is_converted(impl.scenarios.bf16_run, rng, torch_rng)


@pytest.mark.exercise("bf16_train", needs="test_bf16_forward_pass")
def test_bf16_losses(impl, reference, rng, torch_rng):
    """The loss of each batch before its step is reported, with float32's precision"""
    weights = random_weights(rng)
    batches = random_batches(torch_rng, 6, "cross_entropy")
    # So small a loss that one rounded to a few decimals is off.
    weight = float(rng.uniform(1e-3, 2e-3))
    how = {"settings": {"lr": 0.1 / weight}, "loss": "cross_entropy", "loss_weight": weight}
    losses = impl.scenarios.bf16_run(weights, batches, **how)["losses"]
    # A loss in bf16 would be off by up to 2^-9 = 2e-3, most of six by more than 1e-4.
    expected = reference.scenarios.bf16_run(weights, batches, **how)["losses"]
    expect(losses, "losses").close(expected, rtol=5e-5)
    for loss in losses:
        expect(loss, "a loss").is_a(float)
    expect(impl.scenarios.bf16_run(weights, [], **how)["losses"], "losses of no batch").equals([])


@pytest.mark.exercise("bf16_train", needs="test_bf16_forward_pass")
def test_bf16_takes_every_step(impl, rng, torch_rng):
    """The optimizer steps after each batch, also where a loss or a gradient is inf or nan"""
    weights, batches = random_weights(rng), random_batches(torch_rng, 4)
    check_bad_losses(impl.scenarios.bf16_run, weights, batches)
    batches[2][1][0, 0] = math.nan
    result = impl.scenarios.bf16_run(weights, batches, settings=SGD)
    update(result, weights)
    is_finite = [bool(p.isfinite().all()) for p in result["params"]]
    expect(is_finite, "whether parameters are finite after gradients of nan").equals([False] * 4)
    expect([math.isnan(loss) for loss in result["losses"]], "which losses are nan").equals(
        [False, False, True, True]
    )


# --- fp16 -------------------------------------------------------------------


@pytest.mark.exercise("fp16_train", weight=2)
def test_fp16_forward_pass(impl, reference, rng, torch_rng):
    """One step moves the weights as a forward pass in fp16 with a scaled loss does, not one in
    float32"""
    # fp16 rounds the gradients of so small a loss to a few bits, unless it is scaled.
    how = {"loss_weight": 2.0**-16, "init_scale": 2.0**16}
    check_forward_pass(fp16(impl), fp16(reference), rng, torch_rng, {"lr": 0.1 * 2**16}, **how)


@pytest.mark.exercise("fp16_train", weight=2, needs="test_fp16_forward_pass")
def test_fp16_updates(impl, reference, rng, torch_rng):
    """Five steps move the weights as those of a right loop do, whatever the scale"""
    weights, batches = random_weights(rng), random_batches(torch_rng, 5)
    powers = map(float, 2.0 ** rng.integers(2, 11, size=3))
    for scale in (8, float(rng.uniform(0.3, 0.9)), *powers):
        how = {"settings": SGD, "init_scale": scale, "growth_interval": 2}
        check_is_16_bits(fp16(impl), fp16(reference), weights, batches, **how)


@pytest.mark.exercise("fp16_train", needs="test_fp16_forward_pass")
def test_fp16_resolution(impl, rng, torch_rng):
    """Inputs that are equal in fp16 give equal training; others do not"""
    weights, batches = random_weights(rng), exact_batches(torch_rng, 4)
    # An eighth of fp16's spacing is rounded away; a whole spacing is not, except in bf16.
    one = check_resolution(fp16(impl), weights, batches, 2**-13)
    other = fp16(impl)(weights, shifted(batches, 2**-10), settings=SGD)
    far = distance(update(other, weights), one)  # measured: at least 1e-3 in fp16, 0 in bf16
    assert far > 5e-4, f"inputs that differ in fp16: {far} apart"


@pytest.mark.exercise("fp16_train", needs="test_fp16_forward_pass")
def test_fp16_keeps_tiny_gradients(impl, rng, torch_rng):
    """Gradients that fp16 would round to 0 still train the model"""
    weights, batches = random_weights(rng), random_batches(torch_rng, 4)
    loss_weight = 1e-8 * float(rng.uniform(1, 3))
    how = {"settings": {"lr": 0.1 / loss_weight}, "loss_weight": loss_weight}
    check_trains(fp16(impl), weights, batches, init_scale=2.0**32, **how)


@pytest.mark.exercise("fp16_train", needs="test_fp16_forward_pass")
def test_fp16_keeps_huge_gradients(impl, rng, torch_rng):
    """Gradients whose squares float32 cannot hold are finite, and train the model"""
    weights, batches = random_weights(rng), random_batches(torch_rng, 4)
    loss_weight = 2.0**80 * float(rng.uniform(1, 3))
    how = {"loss_weight": loss_weight, "init_scale": 2.0**-80}
    check_trains(fp16(impl), weights, batches, settings={"lr": 0.1 / loss_weight}, **how)
    # Their norm need not be finite, either. Which gradients that leaves is not looked at.
    how |= {"settings": {"lr": 0.0}}
    clipped = fp16(impl)(weights, batches, max_norm=1.0, **how)
    expect(clipped["scales"], "scales with max_norm").equals([2.0**-80] * 4)
    # All outputs are too large by about 3: each gradient of the last layer has one sign. Its
    # elements are below 2**126, and their sum is above 2**129.
    one_sided = [(inputs, targets * 0.1 - 3) for inputs, targets in batches]
    how |= {"loss_weight": 2.0**123, "init_scale": 2.0**-113}
    result = fp16(impl)(weights, one_sided, **how)
    expect(result["scales"], "scales with gradients of 1e37").equals([2.0**-113] * 4)


@pytest.mark.exercise("fp16_train", weight=2, needs="test_fp16_forward_pass")
def test_fp16_survives_a_scale_too_large(impl, rng, torch_rng):
    """While the scale is too large, it falls and the parameters do not change"""
    weights, batches = random_weights(rng), random_batches(torch_rng, 12)
    # Batches overflow above about 2**17, each at a slightly different scale. So the scales are far
    # from that: at 2**22 an error of 1 in any of the B·K outputs overflows, and at 2**14 an error
    # of 250 would not.
    scales = [2.0**38, 2.0**30, 2.0**22] + [2.0**14] * 9
    how = {
        "optimizer": "AdamW",
        "settings": {"lr": 1e-2, "weight_decay": 0.5},
        "init_scale": scales[0],
        "backoff_factor": 2.0**-8,
    }
    skipped = fp16(impl)(weights, batches[:3], **how)
    expect(skipped["params"], "parameters after skipped steps").equals(weights)
    result = check_trains(fp16(impl), weights, batches, batches[3:], **how)
    expect(result["scales"], "scales").equals(scales)


@pytest.mark.exercise("fp16_train", weight=2, needs="test_fp16_forward_pass")
def test_fp16_skips_for_one_bad_gradient(impl, rng, torch_rng):
    """A single inf or nan in any gradient skips the step, as if the batch did not exist"""
    weights = random_weights(rng)
    weights[0][:, 0] = 0  # so that column 0 of the inputs does not affect the forward pass
    good, bad = random_batches(torch_rng, 6), random_batches(torch_rng, 3)
    for inputs, _ in good:
        inputs[:, 0] = 0
    for inputs, _ in bad:
        inputs[:, 0] = 65000.0  # finite in fp16, like the loss; only one column's gradient
    bad[1][0][0, 1] = math.inf
    bad[2][0][:, 0] = 0
    bad[2][1][0, 0] = math.nan
    batches = [*good[:2], bad[0], *good[2:4], bad[1], bad[2], *good[4:]]
    how = {"settings": {**SGD, "weight_decay": 0.1}, "init_scale": 2.0**12}
    result = check_trains(fp16(impl), weights, batches, good, **how)
    expect(result["scales"], "scales").equals(
        [2.0**12] * 3 + [2.0**11] * 3 + [2.0**10] + [2.0**9] * 2
    )
    check_other_bad_gradients(fp16(impl), weights, good)


def check_other_bad_gradients(run, weights, batches):
    """Bad gradients alone: -inf, nan with a finite loss, and that of a parameter of the loss."""
    how = {"settings": {**SGD, "weight_decay": 0.1}}
    one = torch.ones(1, 1)
    # 2**20 overflows in fp16, in both directions.
    for target in (0.5, 1.5):
        result = run([one], [(one, target * one)] * 2, init_scale=2.0**20, **how)
        expect(result["params"], "a weight whose gradient is inf or -inf").equals([one])
        expect(result["scales"], "scales after inf or -inf").equals([2.0**20, 2.0**19])
    result = run(weights, batches[:3], init_scale=64.0, loss="gradient_of_nan", **how)
    expect(result["params"], "parameters whose gradients are nan").equals(weights)
    expect(result["scales"], "scales after nan").equals([64.0, 32.0, 16.0])
    shift = torch.zeros(K)  # its gradient is beyond float32 for scales of at least 2**8
    result = run(weights, batches[:3], init_scale=2.0**12, shift=shift, slope=2.0**120, **how)
    expect(result["params"], "parameters beside an infinite gradient").equals(weights)
    expect(result["shift"], "a parameter with an infinite gradient").equals(shift)
    expect(result["scales"], "scales after it").equals([2.0**12, 2.0**11, 2.0**10])


@pytest.mark.exercise("fp16_train", weight=2, needs="test_fp16_forward_pass")
def test_fp16_scale_follows_its_rules(impl, rng, torch_rng):
    """The scale grows after enough good steps in a row, and falls at each skipped step"""
    weights = random_weights(rng)
    cases = [(1, 2.0, 0.5, 2.0**-40), (3, 16.0, 0.25, 4.0), (2, 1.5, 0.75, 2.0**40)]
    for interval, growth, backoff, first in cases:
        batches = random_batches(torch_rng, 12)
        is_bad = rng.random(12) < 0.25
        is_bad[:5] = False, False, True, False, False  # an overflow restarts the count
        for (inputs, _), spoiled in zip(batches, is_bad, strict=True):
            if spoiled:
                inputs[0, 0] = float(rng.choice([1e30, math.nan]))
        expected, scale, good = [], first, 0
        for spoiled in is_bad:
            expected.append(scale)
            good = 0 if spoiled else good + 1
            if spoiled:
                scale *= backoff
            elif good == interval:
                scale, good = scale * growth, 0
        how = {"settings": {"lr": 1e-3 * first}, "loss_weight": 0.04 / first}
        how |= {"init_scale": first, "growth_interval": interval}
        how |= {"growth_factor": growth, "backoff_factor": backoff}
        result = fp16(impl)(weights, batches, **how)
        # A scale kept in float32 rounds at each change.
        expect(result["scales"], "scales").close(expected, rtol=1e-5)


@pytest.mark.exercise("fp16_train", weight=0.5, needs="test_fp16_forward_pass")
def test_fp16_factors_left_out(impl, rng, torch_rng):
    """By default the scale doubles and halves"""
    weights, batches = random_weights(rng), random_batches(torch_rng, 6)
    batches[2][0][0, 0] = math.nan
    scale = float(rng.integers(3, 9))
    how = {"settings": {"lr": 1e-3}, "init_scale": scale, "growth_interval": 1}
    result = fp16(impl)(weights, batches, **how)
    # Powers of two times an integer: exact in float32 too.
    expect(result["scales"], "scales").equals([scale * n for n in (1, 2, 4, 2, 4, 8)])


@pytest.mark.exercise("fp16_train", needs="test_fp16_forward_pass")
def test_fp16_clears_gradients_from_before(impl, rng, torch_rng):
    """Gradients from before the call are cleared"""
    check_gradients_from_before(fp16(impl), rng, torch_rng)


@pytest.mark.exercise("fp16_train", needs="test_fp16_forward_pass")
def test_fp16_mode_stays(impl, rng, torch_rng):
    """A layer in training mode is trained in it, one in evaluation mode in that, and both stay"""
    check_mode_stays(fp16(impl), rng, torch_rng)


@pytest.mark.exercise("fp16_train", weight=0.5, needs="test_fp16_forward_pass")
def test_fp16_exception_of_the_model(impl, rng, torch_rng):
    """After an exception of the model, autocast is as it was before"""
    check_exception(fp16(impl), rng, torch_rng)


@pytest.mark.exercise("fp16_train", needs="test_fp16_forward_pass")
def test_fp16_backward_pass_is_outside(impl, rng, torch_rng):
    """The backward pass runs outside autocast"""
    check_backward_pass(fp16(impl), rng, torch_rng)


@pytest.mark.exercise("fp16_train", needs="test_fp16_forward_pass")
def test_fp16_converts_nothing_itself(impl, rng, torch_rng):
    """With hooks, and whatever dtype inputs and outputs have, the results are right: autocast alone
    chooses dtypes"""
    check_nothing_is_converted(fp16(impl), rng, torch_rng)


@pytest.mark.exercise("fp16_train", needs="test_fp16_forward_pass")
def test_fp16_losses_of_unlike_arguments(impl, reference, rng, torch_rng):
    """The loss function gets the model's output first and the targets second"""
    weights = random_weights(rng)
    batches = random_batches(torch_rng, 4, "cross_entropy")
    how = {"settings": {"lr": 0.1}, "loss": "cross_entropy"}
    result, expected = (fp16(each)(weights, batches, **how) for each in (impl, reference))
    # Cross-entropy of fp16 outputs, averaged in float32: other kernels change its last bits.
    expect(result["losses"], "losses").close(expected["losses"], rtol=1e-3)


@pytest.mark.exercise("fp16_train", weight=0.5, needs="test_fp16_forward_pass")
def test_fp16_losses_are_not_rounded(impl, reference, rng, torch_rng):
    """The loss is computed under autocast, and reported with float32's precision"""
    weights, batches = random_weights(rng), random_batches(torch_rng, 6, "cross_entropy")
    weight = float(rng.uniform(1e-3, 2e-3))
    how = {"loss": "cross_entropy", "loss_weight": weight, "init_scale": 2.0**16}
    # At a learning rate of 0 all see the same outputs. A loss in fp16 would be off by up to
    # 2^-11 = 5e-4, most of six by more than 1e-4.
    for lr in (0.1 / weight, 0.0):
        how["settings"] = {"lr": lr}
        result, expected = (fp16(each)(weights, batches, **how) for each in (impl, reference))
        if lr:
            check_near(update(result, weights), update(expected, weights))
        else:
            expect(result["losses"], "losses").close(expected["losses"], rtol=5e-5)


@pytest.mark.exercise("fp16_train", needs="test_fp16_forward_pass")
def test_fp16_clips_unscaled_gradients(impl, rng, torch_rng):
    """Gradients are clipped to max_norm after unscaling, and only if their norm is above it"""
    weights, batches = random_weights(rng), random_batches(torch_rng, 4)
    how = {"settings": {"lr": 0.05}, "init_scale": 1024.0}
    for max_norm in (0.1, float(rng.uniform(0.2, 0.4)), 100.0, math.inf):
        check_trains(fp16(impl), weights, batches, max_norm=max_norm, **how)
    result = fp16(impl)(weights, batches, loss_weight=0.0, max_norm=1.0, **how)
    expect(result["params"], "parameters after gradients of 0").equals(weights)


@pytest.mark.exercise("fp16_train", weight=0.5, needs="test_fp16_forward_pass")
def test_fp16_parameters_of_the_loss(impl, rng, torch_rng):
    """The optimizer's parameters that are not the model's are trained like all others"""
    # Clipped or not, and beside a model without parameters, which returns its inputs.
    for of_model, max_norm in ((True, None), (True, 0.5), (False, None)):
        batches, weights = random_batches(torch_rng, 4), random_weights(rng) if of_model else []
        if not of_model:
            batches = [(torch.randn(B, K, generator=torch_rng), y) for _, y in batches]
        start = torch.randn(K, generator=torch_rng)
        # With such a slope most of the gradients' norm is the shift's.
        how = {"settings": SGD, "shift": start, "slope": 2.0, "max_norm": max_norm}
        # A gradient that is not cleared would be divided by the scale at the next step.
        result = fp16(impl)(weights, batches, init_scale=2.0, **how)
        in_fp32 = train_fp32(weights, batches, **how)
        moved = expect(result["shift"], "a parameter of the loss").is_tensor((K,), torch.float32)
        check_near(moved - start, in_fp32["shift"] - start)
        if of_model:
            check_near(update(result, weights), update(in_fp32, weights))


@pytest.mark.exercise("fp16_train", needs="test_fp16_forward_pass")
def test_fp16_losses(impl, rng, torch_rng):
    """The unscaled loss of each batch is reported, even if its step is skipped"""
    weights, batches = random_weights(rng), random_batches(torch_rng, 5)
    settings = {"lr": 0.1}
    losses = fp16(impl)(weights, batches, settings=settings)["losses"]
    in_fp32 = train_fp32(weights, batches, settings)["losses"]
    # fp16's eps is 2^-10 = 1e-3, and the loss averages over B·K outputs.
    expect(losses, "losses").close(in_fp32, rtol=1e-2)
    for loss in losses:
        expect(loss, "a loss").is_a(float)
    # Times this scale, the loss itself overflows in float32.
    how = {"settings": settings, "init_scale": 2.0**127, "loss_weight": 8.0}
    skipped = fp16(impl)(weights, batches, **how)["losses"]
    unchanged = [8 * train_fp32(weights, [batch])["losses"][0] for batch in batches]
    expect(skipped, "losses of skipped steps").close(unchanged, rtol=1e-2)
    check_bad_losses(fp16(impl), weights, batches)
    batches[0][0][0, 0] = math.inf
    first = fp16(impl)(weights, batches[:1], settings=settings)["losses"]
    assert len(first) == 1
    assert not math.isfinite(first[0])


@pytest.mark.exercise("fp16_train", needs="test_fp16_forward_pass")
def test_fp16_parameter_without_gradient(impl, rng, torch_rng):
    """A parameter without a gradient does not change, and without batches nothing changes"""
    weights, batches = random_weights(rng), random_batches(torch_rng, 3)
    how = {"settings": {**SGD, "weight_decay": 0.1}, "unused": True}
    result = check_trains(fp16(impl), weights, batches, **how)
    expect(result["unused"], "the parameter without a gradient").equals(torch.ones(3))
    empty = fp16(impl)(weights, [], **how)
    expect([empty["losses"], empty["scales"]], "losses and scales of no batch").equals([[], []])
    expect(empty["params"], "parameters after no batch").equals(weights)


@pytest.mark.exercise("fp16_train", weight=0.5, needs="test_fp16_forward_pass")
def test_fp16_refuses_settings_out_of_range(impl, rng, torch_rng):
    """A setting that is out of range, infinite or nan is refused before a batch is read"""
    weights, batches = random_weights(rng), random_batches(torch_rng, 1)
    bad = {
        "init_scale": (0.0, -1.0, math.nan, math.inf),
        "growth_interval": (0, -1),
        "growth_factor": (1.0, 0.5, math.nan, math.inf),
        "backoff_factor": (0.0, 1.0, -0.5, 1.5, math.nan),
        "max_norm": (0.0, -1.0, math.nan),
    }
    cases = [(name, value) for name, values in bad.items() for value in values]
    for i in rng.permutation(len(cases)):
        name, value = cases[i]
        read = []

        def source(read=read):
            for batch in batches:
                read.append(batch)
                yield batch

        with pytest.raises(ValueError):
            fp16(impl)(weights, source(), settings=SGD, **{name: value})
        expect(read, "batches that were read").equals([])
