"""Mixed precision on one weight, with numbers to check by hand."""

import pytest
import torch

from assignment.expect import expect

ONE = torch.ones(1, 1)
ZERO = torch.zeros(1, 1)


@pytest.mark.exercise("bf16_train")
def test_forward_pass_rounds_the_weight(impl):
    """A forward pass in bf16 rounds the weight 1 + 2⁻⁸ to 1, so the loss is 1"""
    weight = torch.full((1, 1), 1 + 2**-8)
    result = impl.scenarios.bf16_run([weight], [(ONE, ZERO)], settings={"lr": 2**-10})
    expect(result["losses"], "losses").equals(
        [1.0], hint="run the model and the loss under torch.autocast; report loss.item()"
    )
    expect(result["output_dtype"], "dtype of the model's output").equals(torch.bfloat16)


@pytest.mark.exercise("bf16_train")
def test_weight_itself_is_not_rounded(impl):
    """The weight stays in float32, so two updates of 2⁻⁹ are not lost"""
    weight = torch.full((1, 1), 1 + 2**-8)
    result = impl.scenarios.bf16_run([weight], [(ONE, ZERO)] * 2, settings={"lr": 2**-10})
    expect(result["params"][0], "the weight").equals(
        torch.ones(1, 1), hint="leave the model in float32; autocast rounds copies of the weights"
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


@pytest.mark.exercise("fp16_train")
def test_overflow_backs_off(impl):
    """A gradient of 2 · 65536 overflows fp16, so two steps are skipped and the third is taken"""
    result = impl.scenarios.fp16_run(
        [ONE], [(ONE, ZERO)] * 3, settings={"lr": 0.25}, init_scale=65536.0, growth_interval=100
    )
    expect(result["scales"], "scales").equals(
        [65536.0, 32768.0, 16384.0], hint="halve the scale when a gradient is inf or nan"
    )
    expect(result["losses"], "losses").equals(
        [1.0, 1.0, 1.0], hint="a skipped step changes nothing"
    )
    expect(result["params"][0], "the weight").equals(
        torch.full((1, 1), 0.5), hint="divide the gradients by the scale before the step, once"
    )


@pytest.mark.exercise("fp16_train")
def test_tiny_gradient_survives(impl):
    """A gradient of 2⁻²⁶ is 0 in fp16, but not with a scale of 1024"""
    result = impl.scenarios.fp16_run(
        [ONE],
        [(ONE, ZERO)],
        settings={"lr": 2.0**25},
        loss_weight=2.0**-27,
        init_scale=1024.0,
        growth_interval=100,
    )
    expect(result["params"][0], "the weight").equals(
        torch.full((1, 1), 0.5), hint="call backward on loss · scale, not on the loss"
    )


@pytest.mark.exercise("fp16_train")
def test_scale_grows(impl):
    """After two good steps in a row the scale doubles"""
    result = impl.scenarios.fp16_run(
        [ONE], [(ONE, ZERO)] * 5, settings={"lr": 0.25}, init_scale=8.0, growth_interval=2
    )
    expect(result["scales"], "scales").equals(
        [8.0, 8.0, 16.0, 16.0, 32.0], hint="count good steps, and restart the count after growing"
    )
