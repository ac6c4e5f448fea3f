"""AdamW, with numbers to check by hand."""

import pytest
import torch

from assignment.expect import expect

SETTINGS = {"lr": 0.1, "betas": (0.9, 0.99), "eps": 0.5, "weight_decay": 0.1}


def f64(*values):
    return torch.tensor(values, dtype=torch.float64)


@pytest.mark.exercise("adamw_step")
def test_first_step(impl):
    """First step from p = 1 with g = 0.5: decay to 0.99, then 0.1 · 0.5 / (0.5 + 0.5) less: 0.94"""
    result = impl.scenarios.adamw_steps(
        [f64(1.0)], [f64(0.5)[None]], [f64(0)], [f64(0)], **SETTINGS
    )
    expect(result["exp_avgs"][0], "exp_avg").close(
        f64(0.05), rtol=1e-9, hint="(1 - β1) · g, without the weight decay"
    )
    expect(result["exp_avg_sqs"][0], "exp_avg_sq").close(
        f64(0.0025), rtol=1e-9, hint="(1 - β2) · g², without the weight decay"
    )
    expect(result["params"][0], "the parameter").close(
        f64(0.94),
        rtol=1e-9,
        hint="at t = 1 the corrected averages are g and g²: √g² + eps = 1. Change the tensor in "
        "place",
    )


@pytest.mark.exercise("adamw_step")
def test_zero_gradient_only_decays(impl):
    """With zero gradients and zero averages, a step is the decay alone: 1 - 0.1 · 0.1"""
    result = impl.scenarios.adamw_steps([f64(1.0)], [f64(0)[None]], [f64(0)], [f64(0)], **SETTINGS)
    expect(result["params"][0], "the parameter").close(f64(0.99), rtol=1e-9)


@pytest.mark.exercise("adamw_step")
def test_refuses_step_zero(impl):
    """The first step is 1: step 0 is refused, since the correction would divide by 0"""
    with pytest.raises(ValueError):
        impl.optimizers.adamw_step([f64(1.0)], [f64(0.5)], [f64(0)], [f64(0)], step=0, **SETTINGS)


@pytest.mark.exercise("adamw_optimizer")
def test_steps_like_torch(impl):
    """Ten steps end where torch.optim.AdamW ends"""
    params, grads = [f64(1.0, -2.0)], [torch.linspace(-1, 2, 20, dtype=torch.float64).view(10, 2)]
    theirs = torch.nn.Parameter(params[0].clone())
    optimizer = torch.optim.AdamW([theirs], **SETTINGS)
    for g in grads[0]:
        theirs.grad = g.clone()
        optimizer.step()
    result = impl.scenarios.adamw_optimizer(params, grads, **SETTINGS)
    expect(result["params"][0], "the parameter").close(
        theirs.detach(),
        rtol=1e-9,
        hint="call adamw_step with the step that this parameter has made",
    )


@pytest.mark.exercise("adamw_optimizer")
def test_state_is_saved(impl):
    """After two steps the state_dict holds step = 2, exp_avg and exp_avg_sq"""
    grads = [f64(1.0, 1.0).view(2, 1)]
    result = impl.scenarios.adamw_optimizer([f64(1.0)], grads, **SETTINGS)
    state = result["state_dict"]["state"][0]
    expect(int(state["step"]), "step").equals(2, hint="keep it in self.state[p]")
    expect(state["exp_avg"], "exp_avg").close(f64(0.19), rtol=1e-9)
    expect(state["exp_avg_sq"], "exp_avg_sq").close(f64(0.0199), rtol=1e-9)


@pytest.mark.exercise("adamw_optimizer")
def test_no_gradient_no_step(impl):
    """A parameter whose gradient is None is left alone, weight decay included"""
    result = impl.scenarios.adamw_optimizer(
        [f64(1.0), f64(1.0)],
        [f64(0.5)[None], f64(0.5)[None]],
        present=[[True, False]],
        **SETTINGS,
    )
    expect(result["params"], "the parameters").close(
        [f64(0.94), f64(1.0)], rtol=1e-9, hint="skip p when p.grad is None"
    )
