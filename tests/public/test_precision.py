"""Mixed precision on one weight, with numbers to check by hand."""

import math

import pytest
import torch

from assignment.expect import expect

ONE, ZERO = torch.ones(1, 1), torch.zeros(1, 1)
INF, NAN = float("inf"), float("nan")


def check_loop(run, tolerance, **how):
    """What both loops must do with one weight of 1, an input of 1 and a target of 0.

    The loss is w², its gradient 2w, and a step with lr = 0.25 halves the weight.
    """

    def weight_after(batches, lr=0.25, **more):
        result = run([ONE], batches, settings={"lr": lr, **more.pop("settings", {})}, **more, **how)
        return result["params"][0].item(), result

    found, result = weight_after(
        [(ONE, ZERO)], settings={"weight_decay": 0.5}, stale=7.0, unused=True
    )
    expect(found, "the weight, with gradients from before").close(0.375, rtol=tolerance)
    expect(result["unused"], "a parameter that no batch uses").equals(
        torch.ones(3), hint="clear to None: a gradient of 0 still decays"
    )
    for training in [(True, True), (False, False), (True, False), (False, True)]:
        found, result = weight_after([(ONE, ZERO)], training=training)
        # In training mode the layer doubles its input: the gradient is 8.
        expect(found, f"the weight, with model and layer in training mode: {training}").close(
            -1.0 if training[1] else 0.5, rtol=tolerance, hint="call neither train() nor eval()"
        )
        expect(result["modes_stay"], "does the mode of each layer stay").equals(
            True, hint="call neither train() nor eval()"
        )
    found, _ = weight_after([(ONE, ZERO)], loss="exact_backward")
    expect(found, "the weight, with a loss whose backward pass needs float32").close(
        0.5, rtol=tolerance, hint="call backward outside autocast"
    )
    found, _ = weight_after([(4097 * ONE, ZERO)], offset=4096.0)
    expect(found, "the weight, with a model that subtracts 4096 by a hook first").close(
        0.5, rtol=tolerance, hint="call model(inputs) with the inputs as they are"
    )
    _, result = weight_after([(ONE, ZERO)], lr=0.0, loss="squares_in_16_bits")
    expect(result["losses"], "the loss of outputs in 16 bits").equals([1.0])
    _, result = weight_after([(ONE, -ZERO - 2**-4)], lr=0.0, loss_weight=2.0**-20)
    expect(result["losses"], "a small loss").close(
        [(1 + 2**-4) ** 2 * 2.0**-20],
        rtol=1e-5,
        hint="the loss runs under autocast; report it as it is",
    )
    for loss in ("plus_infinity", "plus_nan"):  # with finite gradients
        found, result = weight_after([(ONE, ZERO)] * 2, loss=loss)
        expect(found, f"the weight after two steps, with a loss {loss}").close(0.25, rtol=tolerance)
        expect([math.isfinite(value) for value in result["losses"]], "are losses finite").equals(
            [False, False]
        )
    with pytest.raises(RuntimeError):
        weight_after([(ONE, ZERO), (torch.ones(1, 2), ZERO)])


def fp16(impl, batches, *, weights=(ONE,), lr=0.25, settings=(), **how):
    settings = {"lr": lr, **dict(settings)}
    how = {"init_scale": 8.0, "growth_interval": 100, "settings": settings, **how}
    return impl.scenarios.fp16_run(list(weights), batches, **how)


@pytest.mark.exercise("bf16_train")
def test_forward_pass_rounds_the_weight(impl):
    """A forward pass in bf16 rounds the weight 1 + 2⁻⁸ to 1, so the loss is 1"""
    weight = torch.full((1, 1), 1 + 2**-8)
    result = impl.scenarios.bf16_run([weight], [(ONE, ZERO)], settings={"lr": 2**-10})
    expect(result["losses"], "losses").equals(
        [1.0], hint="the model and the loss under torch.autocast, with dtype=torch.bfloat16"
    )
    expect(result["output_dtype"], "dtype of the model's output").equals(torch.bfloat16)


@pytest.mark.exercise("bf16_train")
def test_weight_itself_is_not_rounded(impl):
    """Two steps of 2⁻⁹ take the weight from 1 + 2⁻⁸ to exactly 1"""
    weight = torch.full((1, 1), 1 + 2**-8)
    result = impl.scenarios.bf16_run([weight], [(ONE, ZERO)] * 2, settings={"lr": 2**-10})
    expect(result["params"][0], "the weight").equals(
        torch.ones(1, 1), hint="the forward pass in bf16; the weight and its update in float32"
    )
    expect(result["gradient_dtypes"], "dtypes of the gradients").equals([torch.float32])


@pytest.mark.exercise("bf16_train")
def test_each_step_starts_from_new_weights(impl):
    """Each batch uses the weights after the previous step, and only its own gradient"""
    result = impl.scenarios.bf16_run([ONE], [(ONE, ZERO)] * 3, settings={"lr": 0.25})
    expect(result["losses"], "losses").equals(
        [1.0, 0.25, 0.0625],
        hint="the loss is w² and its gradient 2w, so each step halves w. Clear the gradients for "
        "each batch, and enter autocast for each batch: it caches the rounded weights",
    )


@pytest.mark.exercise("bf16_train")
def test_bf16_changes_nothing_else(impl):
    """Only the forward pass runs in bf16: modes, hooks, inputs, losses, old gradients are as in any
    loop"""
    check_loop(impl.scenarios.bf16_run, 2**-7)


@pytest.mark.exercise("bf16_train")
def test_bf16_takes_every_step(impl):
    """bf16 has float32's range, so no step is skipped: not with nan either"""
    for loss in ("mse_loss", "gradient_of_nan"):
        result = impl.scenarios.bf16_run([ONE], [(ONE, ZERO)] * 2, settings={"lr": 0.25}, loss=loss)
        expect(len(result["losses"]), "the number of losses").equals(2)
        is_nan = bool(result["params"][0].isnan())
        expect(is_nan, f"is the weight nan after {loss}").equals(loss != "mse_loss")


@pytest.mark.exercise("fp16_train")
def test_overflow_backs_off(impl):
    """A gradient of 2 · 65536 overflows fp16, so two steps are skipped and the third is taken"""
    result = fp16(impl, [(ONE, ZERO)] * 3, init_scale=65536.0)
    expect(result["scales"], "scales").equals(
        [65536.0, 32768.0, 16384.0],
        hint="the scale that each loss was multiplied by; it halves after a gradient of inf or nan",
    )
    expect(result["losses"], "losses").equals(
        [1.0, 1.0, 1.0], hint="of each loss before it is scaled; a skipped step changes no weight"
    )
    expect(result["params"][0], "the weight").equals(
        torch.full((1, 1), 0.5), hint="divide the gradients by the scale before the step, once"
    )


@pytest.mark.exercise("fp16_train")
def test_tiny_gradient_survives(impl):
    """A gradient of 2⁻²⁶ is 0 in fp16, but not with a scale of 1024"""
    result = fp16(impl, [(ONE, ZERO)], lr=2.0**25, loss_weight=2.0**-27, init_scale=1024.0)
    expect(result["params"][0], "the weight").equals(
        torch.full((1, 1), 0.5), hint="call backward on loss · scale, not on the loss"
    )


@pytest.mark.exercise("fp16_train")
def test_scale_grows(impl):
    """After two good steps in a row the scale doubles"""
    result = fp16(impl, [(ONE, ZERO)] * 5, growth_interval=2)
    expect(result["scales"], "scales").equals(
        [8.0, 8.0, 16.0, 16.0, 32.0], hint="count good steps, and restart the count after growing"
    )


@pytest.mark.exercise("fp16_train")
def test_fp16_changes_nothing_else(impl):
    """Only the forward pass runs in fp16: modes, hooks, inputs, losses, old gradients are as in any
    loop"""
    check_loop(impl.scenarios.fp16_run, 2**-10, init_scale=8.0, growth_interval=100)
    # A parameter s of the loss: its gradient is that of the weight, 2 · (w + s), so 2 and then 1.
    result = fp16(impl, [(ONE, ZERO)] * 2, lr=0.125, shift=torch.zeros(1))
    expect(result["shift"], "a parameter of the loss").close(
        torch.tensor([-0.375]),
        rtol=1e-3,
        hint="unscale all gradients of the optimizer's parameters",
    )
    result = fp16(impl, [(ONE, ZERO)], weights=[], shift=torch.ones(1))
    expect(result["shift"], "a parameter of the loss, beside a model without any").close(
        torch.zeros(1), rtol=0.0, atol=1e-3
    )


@pytest.mark.exercise("fp16_train")
def test_any_gradient_that_is_not_finite_skips(impl):
    """One inf, -inf or nan in any parameter's gradient skips the step: nothing moves"""
    how = {"settings": {"momentum": 0.9, "weight_decay": 0.5}, "unused": True}
    for target, more in [
        (ZERO, {"slope": 1e38}),  # the loss's own parameter overflows, the weight does not
        (ZERO, {"slope": -1e38}),
        (ZERO, {"loss": "gradient_of_nan"}),
        (ZERO + INF, {}),
    ]:
        found = fp16(impl, [(ONE, target)] * 2, shift=torch.zeros(1), **more, **how)
        expect(found["params"][0], f"the weight, with {more} and target {target}").equals(ONE)
        expect(found["shift"], f"the shift, with {more}").equals(torch.zeros(1))
        expect(found["scales"], "the scales").equals([8.0, 4.0])


@pytest.mark.exercise("fp16_train")
def test_all_that_is_finite_steps(impl):
    """Gradients whose sum or norm overflows are finite, and so is one of any size"""
    # The gradient of each shift is the slope, and 3e38 is below the largest float32.
    steep = {"shift": torch.zeros(2), "slope": 3e38}
    found = fp16(impl, [(ONE, torch.zeros(1, 2))], lr=1e-38, init_scale=1.0, **steep)
    expect(found["shift"], "the shift").close(torch.tensor([-3.0, -3.0]), rtol=1e-5)
    found = fp16(impl, [(ONE, ZERO)], lr=2.0**-82, init_scale=2.0**-80, loss_weight=2.0**80)
    expect(found["params"][0], "the weight after a huge gradient").close(0.5 * ONE, rtol=1e-3)
    found = fp16(impl, [(ONE, ZERO)], init_scale=2.0**120, loss_weight=2.0**10)
    expect(found["losses"], "the loss, which overflows only when it is scaled").equals([1024.0])


@pytest.mark.exercise("fp16_train")
def test_scales_have_no_bounds(impl):
    """Factors are those given, a skip restarts the count, and the scale has no bounds of its own"""
    good, bad = (ONE, ZERO), (ONE, ZERO + NAN)
    for start, interval, batches, factors, scales in [
        (8.0, 2, [good, bad, good, good, good], (3.0, 0.25), [8.0, 8.0, 2.0, 2.0, 6.0]),
        (8.0, 1, [good, good, bad, good], (16.0, 0.5), [8.0, 128.0, 2048.0, 1024.0]),
        (1.0, 1, [bad, bad, bad], (2.0, 0.5), [1.0, 0.5, 0.25]),
        (2.0**-20, 1, [bad, bad], (2.0, 0.5), [2.0**-20, 2.0**-21]),
        (2.0**31, 1, [good] * 4, (2.0, 0.5), [2.0**31, 2.0**32, 2.0**33, 2.0**34]),
        (2.0**15, 1, [good] * 4, (2.0, 0.5), [2.0**15, 2.0**16, 2.0**17, 2.0**18]),
    ]:
        how = {"init_scale": start, "growth_interval": interval, "growth_factor": factors[0]}
        how |= {"backoff_factor": factors[1], "loss_weight": 2.0**-30 if start > 8 else 1.0}
        found = fp16(impl, batches, lr=0.0, **how)
        expect(found["scales"], f"scales from {start}, factors {factors}").equals(scales)
        expect([math.isnan(loss) for loss in found["losses"]], "which losses are nan").equals(
            [batch is bad for batch in batches]
        )


@pytest.mark.exercise("fp16_train")
def test_unscales_before_it_clips(impl):
    """The norm of all unscaled gradients is clipped, the loss's too; smaller ones stay"""
    for max_norm, moved in [(1, 1.0), (0.5, 0.5), (2.5, 2.0), (INF, 2.0)]:
        found = fp16(impl, [(ONE, ZERO)], init_scale=1024, max_norm=max_norm)
        expect(found["params"][0], f"the weight with max_norm={max_norm}").close(
            ONE - 0.25 * moved, rtol=1e-4, hint="unscale, look for inf and nan, clip, step"
        )
    found = fp16(impl, [(ONE, ZERO)], shift=torch.zeros(1), max_norm=1.0)
    for name, start in [("params", ONE), ("shift", torch.zeros(1))]:
        p = found[name][0] if name == "params" else found[name]
        expect(p, f"{name} after two gradients of 2 were clipped together").close(
            start - 0.25 * 0.5**0.5, rtol=1e-4, hint="clip what the optimizer holds, not the model"
        )
    found = fp16(impl, [(ONE, ONE)], max_norm=1.0)
    expect(found["params"][0], "the weight after a gradient of 0").equals(ONE)


@pytest.mark.exercise("fp16_train")
def test_refuses_settings_before_it_reads(impl):
    """A setting out of range is refused before any batch is read; large ones are in range"""
    read = []

    def batches():
        read.append(1)
        yield ONE, ZERO

    good = {"init_scale": 8, "growth_interval": 1, "growth_factor": 1000, "backoff_factor": 0.001}
    expect(fp16(impl, [(ONE, ZERO)], **good)["params"][0], "the weight").close(0.5 * ONE, rtol=1e-3)
    fp16(impl, [(ONE, ZERO)], **{**good, "growth_factor": 1.001})
    for wrong in [
        *({"init_scale": value} for value in (0.0, -1.0, INF, NAN)),
        *({"growth_interval": value} for value in (0, -1)),
        *({"growth_factor": value} for value in (1.0, 0.5, INF, NAN)),
        *({"backoff_factor": value} for value in (0.0, -0.5, 1.0, 1.5, NAN)),
        *({"max_norm": value} for value in (0.0, -1.0, NAN)),
    ]:
        with pytest.raises(ValueError):
            fp16(impl, batches(), **{**good, **wrong})
    expect(read, "batches that were read").equals([])
