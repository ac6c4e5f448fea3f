"""Steps of optimizers, with numbers to check by hand."""

import pytest
import torch

from assignment.expect import expect
from assignment.tensor_files import OptimizerRuns

SETTINGS = {"lr": 0.1, "betas": (0.9, 0.99), "eps": 0.5, "weight_decay": 0.1}


def f64(*values):
    return torch.tensor(values, dtype=torch.float64)


def step(impl, function, g, *, p=1.0, states=1, steps=1, **settings):
    """Steps of one parameter with the same gradient; returns the parameter, state and gradient."""
    result = OptimizerRuns(impl).steps(
        f"optimizers.{function}",
        [f64(p)],
        [f64(g).repeat(steps, 1)],
        [[f64(0.0)] for _ in range(states)],
        **settings,
    )
    kept = [tensors[0] for tensors in result["states"]]
    return result["params"][0], kept, result["grads"][0][0]


def check_autograd(impl, function, states=1, **settings):
    """Two steps of a parameter that requires gradients, with gradients enabled and disabled."""
    for enabled in (True, False):
        left = OptimizerRuns(impl).steps(
            f"optimizers.{function}",
            [f64(1.0)],
            [f64(0.5, 0.5).view(2, 1)],
            [[f64(0.0)] for _ in range(states)],
            requires_grad=True,
            grad_enabled=enabled,
            **settings,
        )
        expect(left["params"][0].item() < 1, "whether the parameter has moved").equals(
            True, hint="change it in place: p = p - … makes a new tensor"
        )


@pytest.mark.exercise("sgd_step")
def test_sgd_and_autograd(impl):
    """With weight decay the velocity gets no graph, and gradients stay enabled or disabled"""
    check_autograd(impl, "sgd_step", lr=0.1, momentum=0.9, weight_decay=0.1)


@pytest.mark.exercise("sgd_step")
def test_momentum(impl):
    """Two steps from p = 1 with g = 0.5, lr = 0.1 and momentum 0.9 give 0.95, then 0.855"""
    for steps, expected, velocity in [(1, 0.95, 0.5), (2, 0.855, 0.95)]:
        p, (v,), _ = step(impl, "sgd_step", 0.5, steps=steps, lr=0.1, momentum=0.9)
        expect(v, f"the velocity after step {steps}").close(
            f64(velocity), rtol=1e-9, hint="momentum · v + g, without the learning rate"
        )
        expect(p, f"the parameter after step {steps}").close(f64(expected), rtol=1e-9)


@pytest.mark.exercise("sgd_step")
def test_nesterov(impl):
    """With Nesterov the first step is 0.1 · (0.5 + 0.9 · 0.5), so p = 0.905"""
    p, _, _ = step(impl, "sgd_step", 0.5, lr=0.1, momentum=0.9, nesterov=True)
    expect(p, "the parameter").close(
        f64(0.905), rtol=1e-9, hint="g + momentum · v, with the velocity of this step"
    )


@pytest.mark.exercise("sgd_step")
def test_sgd_decay(impl):
    """With lr = 0.1, weight decay 0.1, p = 1 and gradient 0.5, p becomes 0.94; p.grad stays 0.5"""
    p, _, g = step(impl, "sgd_step", 0.5, lr=0.1, weight_decay=0.1)
    expect(p, "the parameter").close(f64(0.94), rtol=1e-9)
    expect(g, "the gradient").equals(f64(0.5), hint="g = g + …, not g += …")


@pytest.mark.exercise("sgd_step")
def test_nesterov_needs_momentum(impl):
    """Nesterov without momentum is refused"""
    tensors = [f64(1.0)], [f64(0.5)], [f64(0)]
    impl.optimizers.sgd_step(*tensors, lr=0.1, momentum=0.9, nesterov=True)
    with pytest.raises(ValueError):
        impl.optimizers.sgd_step(*tensors, lr=0.1, nesterov=True)


@pytest.mark.exercise("adagrad_step")
def test_adagrad(impl):
    """Steps from p = 1 with g = 0.5, lr = 0.1, eps = 0.5 give 0.95, then 0.05 / (√0.5 + 0.5)
    less"""
    for steps, expected, total in [(1, 0.95, 0.25), (2, 0.95 - 0.05 / (0.5**0.5 + 0.5), 0.5)]:
        p, (s,), _ = step(impl, "adagrad_step", 0.5, steps=steps, lr=0.1, eps=0.5)
        expect(s, f"the sum after step {steps}").close(f64(total), rtol=1e-9, hint="s + g²")
        expect(p, f"the parameter after step {steps}").close(
            f64(expected), rtol=1e-9, hint="eps is added after the square root"
        )


@pytest.mark.exercise("adagrad_step")
def test_adagrad_is_refused(impl):
    """A negative eps is refused"""
    tensors = [f64(1.0)], [f64(0.5)], [f64(0)]
    impl.optimizers.adagrad_step(*tensors, lr=0.1, eps=0.5)
    with pytest.raises(ValueError):
        impl.optimizers.adagrad_step(*tensors, lr=0.1, eps=-0.5)


@pytest.mark.exercise("rmsprop_step")
def test_rmsprop(impl):
    """The first step from p = 1 with g = 1, alpha = 0.75 is 0.1 / (√0.25 + 0.5), so p = 0.9"""
    p, (v,), _ = step(impl, "rmsprop_step", 1.0, lr=0.1, alpha=0.75, eps=0.5)
    expect(v, "the average").close(
        f64(0.25), rtol=1e-9, hint="alpha is the fraction that is kept: 0.75 · 0 + 0.25 · 1"
    )
    expect(p, "the parameter").close(
        f64(0.9), rtol=1e-9, hint="eps is added after the square root; there is no correction"
    )


@pytest.mark.exercise("rmsprop_step")
def test_rmsprop_is_refused(impl):
    """An alpha of 1, which would ignore all gradients, is refused"""
    tensors = [f64(1.0)], [f64(1.0)], [f64(0)]
    impl.optimizers.rmsprop_step(*tensors, lr=0.1, alpha=0.75, eps=0.5)
    with pytest.raises(ValueError):
        impl.optimizers.rmsprop_step(*tensors, lr=0.1, alpha=1.0, eps=0.5)


@pytest.mark.exercise("adam_step")
def test_adam(impl):
    """The first step from p = 1 with g = 0.4 and weight decay 0.1 uses g = 0.5, so p = 0.95"""
    p, (m, v), g = step(impl, "adam_step", 0.4, states=2, first_step=1, **SETTINGS)
    expect(m, "exp_avg").close(
        f64(0.05), rtol=1e-9, hint="(1 - β1) · g, with the weight decay in g: 0.4 + 0.1 · 1"
    )
    expect(v, "exp_avg_sq").close(f64(0.0025), rtol=1e-9, hint="(1 - β2) · g²")
    expect(p, "the parameter").close(
        f64(0.95), rtol=1e-9, hint="at t = 1 the corrected averages are g and g²: √g² + eps = 1"
    )
    expect(g, "the gradient").equals(f64(0.4), hint="g = g + …, not g += …")


@pytest.mark.exercise("adam_step")
def test_adam_and_autograd(impl):
    """With weight decay the moments get no graph, and gradients stay enabled or disabled"""
    check_autograd(impl, "adam_step", states=2, first_step=1, **SETTINGS)


@pytest.mark.exercise("adam_step")
def test_adam_refuses_step_zero(impl):
    """Step 0 of Adam is refused, since the correction would divide by 0: the first step is 1"""
    tensors = [f64(1.0)], [f64(0.5)], [f64(0)], [f64(0)]
    impl.optimizers.adam_step(*tensors, step=1, **SETTINGS)
    with pytest.raises(ValueError):
        impl.optimizers.adam_step(*tensors, step=0, **SETTINGS)


@pytest.mark.exercise("adamw_step")
def test_first_step(impl):
    """The first step from p = 1 with g = 0.5 decays p to 0.99, then moves it to 0.94"""
    p, (m, v), _ = step(impl, "adamw_step", 0.5, states=2, first_step=1, **SETTINGS)
    expect(m, "exp_avg").close(f64(0.05), rtol=1e-9, hint="(1 - β1) · g, without the weight decay")
    expect(v, "exp_avg_sq").close(
        f64(0.0025), rtol=1e-9, hint="(1 - β2) · g², without the weight decay"
    )
    expect(p, "the parameter").close(
        f64(0.94),
        rtol=1e-9,
        hint="at t = 1 the corrected averages are g and g²: √g² + eps = 1. Change the tensor in "
        "place",
    )


@pytest.mark.exercise("adamw_step")
def test_zero_gradient_only_decays(impl):
    """With zero gradients and zero averages, a step is only the decay: 1 - 0.1 · 0.1"""
    p, _, _ = step(impl, "adamw_step", 0.0, states=2, first_step=1, **SETTINGS)
    expect(p, "the parameter").close(f64(0.99), rtol=1e-9)


@pytest.mark.exercise("adamw_step")
def test_refuses_step_zero(impl):
    """Step 0 is refused, since the correction would divide by 0: the first step is 1"""
    tensors = [f64(1.0)], [f64(0.5)], [f64(0)], [f64(0)]
    impl.optimizers.adamw_step(*tensors, step=1, **SETTINGS)
    with pytest.raises(ValueError):
        impl.optimizers.adamw_step(*tensors, step=0, **SETTINGS)


@pytest.mark.exercise("adamw_optimizer")
def test_steps_like_torch(impl):
    """Ten steps give the same parameter as torch.optim.AdamW"""
    params, grads = [f64(1.0, -2.0)], [torch.linspace(-1, 2, 20, dtype=torch.float64).view(10, 2)]
    theirs = torch.nn.Parameter(params[0].clone())
    optimizer = torch.optim.AdamW([theirs], **SETTINGS)
    for g in grads[0]:
        theirs.grad = g.clone()
        optimizer.step()
    result = OptimizerRuns(impl).adamw(params, grads, **SETTINGS)
    expect(result["params"][0], "the parameter").close(
        theirs.detach(),
        rtol=1e-9,
        hint="call adamw_step with the step count of this parameter",
    )


@pytest.mark.exercise("adamw_optimizer")
def test_state_is_saved(impl):
    """After two steps the state_dict holds step = 2, exp_avg and exp_avg_sq"""
    grads = [f64(1.0, 1.0).view(2, 1)]
    result = OptimizerRuns(impl).adamw([f64(1.0)], grads, **SETTINGS)
    states = result.state_dict["state"]
    expect(list(states), "the parameters with a state").equals([0], hint="keep it in self.state[p]")
    state = states[0]
    expect(int(state["step"]), "step").equals(2, hint="one more for each step of the parameter")
    expect(state["exp_avg"], "exp_avg").close(f64(0.19), rtol=1e-9)
    expect(state["exp_avg_sq"], "exp_avg_sq").close(f64(0.0199), rtol=1e-9)


@pytest.mark.exercise("adamw_optimizer")
def test_no_gradient_no_step(impl):
    """A parameter whose gradient is None does not change, not even by weight decay"""
    result = OptimizerRuns(impl).adamw(
        [f64(1.0), f64(1.0)],
        [f64(0.5)[None], f64(0.5)[None]],
        present=[[True, False]],
        **SETTINGS,
    )
    expect(result["params"], "the parameters").close(
        [f64(0.94), f64(1.0)], rtol=1e-9, hint="skip p when p.grad is None"
    )


@pytest.mark.exercise("adamw_optimizer")
def test_closure(impl):
    """step(closure) returns the closure's loss, and step() returns None"""
    weight, coefficients = f64(1.0, 2.0), f64(0.5, 3.0)
    result = impl.scenarios.adamw_closure(weight, lambda _: coefficients, steps=2, **SETTINGS)
    expect(result["losses"][0], "the first loss").close(
        6.5, rtol=1e-9, hint="return what the closure returned"
    )
    expect(result["losses"][1] < 6.5, "whether the loss gets smaller").equals(True)
    expect(result["without"], "the result of a step without a closure").equals(None)


@pytest.mark.exercise("adamw_optimizer")
def test_closure_gets_gradients(impl):
    """Also inside `torch.no_grad()`, step(closure) runs the closure with gradients enabled"""
    result = impl.scenarios.adamw_closure(
        f64(1.0), lambda _: f64(0.5), steps=1, grad_enabled=False, **SETTINGS
    )
    expect(result["weight"], "the weight").close(
        f64(0.94), rtol=1e-9, hint="call the closure in `with torch.enable_grad():`"
    )
