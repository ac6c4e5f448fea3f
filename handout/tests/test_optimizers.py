"""Steps of optimizers, with numbers to check by hand."""

import importlib
import math

import pytest
import torch

from assignment.expect import expect
from assignment.material.optimizer_runs import OptimizerRuns

SETTINGS = {"lr": 0.1, "betas": (0.9, 0.99), "eps": 0.5, "weight_decay": 0.1}
STATES = {"sgd_step": 1, "adagrad_step": 1, "rmsprop_step": 1, "adam_step": 2, "adamw_step": 2}
STATES["muon_step"] = 1


def f64(*values):
    return torch.tensor(values, dtype=torch.float64)


def step(impl, function, g, *, steps=1, **settings):
    """Steps of a parameter of 1 with the same gradient; returns parameter, state and gradient."""
    states = [[f64(0.0)] for _ in range(STATES[function])]
    result = OptimizerRuns(impl).steps(
        f"optimizers.{function}", [f64(1.0)], [f64(g).repeat(steps, 1)], states, **settings
    )
    kept = [tensors[0] for tensors in result["states"]]
    return result["params"][0], kept, result["grads"][0][0]


def check_autograd(impl, function, **settings):
    """Two steps of a parameter that requires gradients, with gradients enabled and disabled."""
    for enabled in (True, False):
        how = {"requires_grad": True, "grad_enabled": enabled, **settings}
        p, _, _ = step(impl, function, 0.5, steps=2, **how)
        expect(p.item() < 1, "whether the parameter has moved").equals(
            True, hint="change it in place: p = p - … makes a new tensor"
        )


def torchs_step(function, p, g, states, step, settings):
    """The same step by the function that torch's own optimizer uses, in place.

    The classes would do, too, but the first one that is made takes seconds.
    """
    count = torch.tensor(float(step - 1))  # torch counts on
    kind = function.removesuffix("_step")
    lists = {
        "sgd": [states],
        "adagrad": [states, [count]],
        "rmsprop": [states, [], [], [count]],
    }.get(kind, [*([state] for state in states), [], [count]])
    fixed = {
        "sgd": {"weight_decay": 0.0, "momentum": 0.0, "nesterov": False, "dampening": 0.0},
        "adagrad": {"weight_decay": 0.0, "lr_decay": 0.0},
        "rmsprop": {"weight_decay": 0.0, "momentum": 0.0, "centered": False},
    }.get(kind, {"amsgrad": False})
    if "betas" in settings:
        fixed["beta1"], fixed["beta2"] = settings["betas"]
    own = {name: value for name, value in settings.items() if name != "betas"}
    module = importlib.import_module(f"torch.optim.{kind}")
    with torch.no_grad():
        getattr(module, kind)([p], [g], *lists, **{**fixed, **own}, maximize=False, foreach=False)


def alike(found, expected, what):
    """Compares tensors, of which both may have nan at the same places."""
    near = 1e-5 if expected.dtype is torch.float32 else 1e-9
    expect(found, what).close(expected, rtol=near, atol=near, equal_nan=True)


def follows_torch(impl, torch_rng, function, *variants):
    """Runs six steps with each variant of the settings, and compares them with torch's.

    The tensors are a scalar, matrices that are not contiguous, and an empty one, in two dtypes; one
    gradient is all zeros at first, one has a nan at last.
    """
    kept = STATES[function]
    runs, done = OptimizerRuns(impl), []
    for settings in variants:
        first = settings.get("first_step", 1)
        settings = {name: value for name, value in settings.items() if name != "first_step"}
        params, grads, states = [], [], [[] for _ in range(kept)]
        for shape in [(), (3, 4), (2, 0), (5,)]:
            dtype = torch.float32 if shape == (5,) else torch.float64
            drawn = torch.randn((7 + kept, *shape), generator=torch_rng, dtype=dtype)
            params.append(drawn[0])
            # None is near 0: v ← v + (1 − α)(g² − v), which is right, would lose its square.
            grads.append(drawn[1:7].sign() * (0.5 + drawn[1:7].abs()))
            for state, start in zip(states, drawn[7:], strict=True):
                state.append(start.abs() if first > 1 else torch.zeros_like(start))
        grads[1][:2] = 0
        grads[3][5, 2] = math.nan
        how = {**settings, "transposed": True, "requires_grad": True}
        if kept == 2:  # Adam and AdamW count their steps
            how["first_step"] = first
        left = runs.steps(f"optimizers.{function}", params, grads, states, **how)
        done.append((settings, first, params, grads, states, left))
    for settings, first, params, grads, states, left in done:
        for i, p in enumerate(params):
            theirs, moments = p.clone(), [state[i].clone() for state in states]
            for n, g in enumerate(grads[i]):
                torchs_step(function, theirs, g.clone(), moments, first + n, settings)
            what = f"parameter {i} of shape {tuple(p.shape)}, with {settings}"
            alike(left["params"][i], theirs, what)
            for tensors, moment in zip(left["states"], moments, strict=True):
                if function != "sgd_step" or settings.get("momentum"):
                    alike(tensors[i], moment, f"the state of {what}")
            last = [step[i] for step in left["grads"]]
            for found, given in zip(last, grads[i], strict=True):
                alike(found, given, f"the gradient of {what}, which stays as it was")


def check_setting(impl, function, good, **wrong):
    """A step with good settings is taken, and is refused with a wrong one."""
    tensors = [[f64(1.0)], [f64(0.5)], *([f64(0)] for _ in range(STATES[function]))]
    getattr(impl.optimizers, function)(*tensors, **good)
    with pytest.raises(ValueError):
        getattr(impl.optimizers, function)(*tensors, **{**good, **wrong})


def check_refused(impl, function, settings, refused, shapes=((3,), (2, 2))):
    """Settings out of range and tensors that do not fit are refused, and change nothing.

    Infinity is in the range of a setting without an upper end, and empty lists are lists.
    """
    call, count = getattr(impl.optimizers, function), 1 + STATES[function]
    fit = [[torch.ones(shape, dtype=torch.float64) for shape in shapes] for _ in range(count + 1)]
    empty = [[] for _ in fit]
    for tensors in (fit, empty):
        expect(call(*tensors, **settings), "what a step returns").equals(None)
    for name in settings.keys() & {"lr", "eps", "weight_decay"}:
        call(*fit, **{**settings, name: math.inf})
    for more in refused:
        for tensors in (fit, empty):
            with pytest.raises(ValueError):
                call(*tensors, **{**settings, **more})
    vector, matrix = fit[0]
    for k in range(count + 1):
        for misfit in [
            *([vector], [vector, matrix, vector], [matrix, vector], [vector, matrix[:1]]),
            *([vector[:1], matrix], [vector, matrix.reshape(4, 1)], [vector, matrix.flatten()]),
        ]:
            with pytest.raises(ValueError):
                call(*fit[:k], misfit, *fit[k + 1 :], **settings)


NAN = math.nan
NOT_IN_RANGE = [{"lr": -0.1}, {"lr": NAN}, {"eps": -1e-8}, {"eps": NAN}]
NOT_FOR_ADAM = [
    *(*NOT_IN_RANGE, {"weight_decay": -0.1}, {"weight_decay": NAN}),
    *({"betas": (b, 0.9)} for b in (1.0, -0.1, NAN)),
    *({"betas": (0.9, b)} for b in (1.0, -0.1, NAN)),
]


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
def test_sgd_and_autograd(impl):
    """With weight decay the velocity gets no graph, and gradients stay enabled or disabled"""
    check_autograd(impl, "sgd_step", lr=0.1, momentum=0.9, weight_decay=0.1)


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
    good = {"lr": 0.1, "momentum": 0.9, "nesterov": True}
    check_setting(impl, "sgd_step", good, momentum=0.0)


@pytest.mark.exercise("sgd_step")
def test_sgd_is_torchs(impl, torch_rng):
    """For any settings in range and tensors of any shape and dtype, steps are torch's"""
    follows_torch(
        *(impl, torch_rng, "sgd_step"),
        {"lr": 0.05, "momentum": 0.9, "weight_decay": 0.3},
        {"lr": 0.05, "momentum": 0.8, "weight_decay": 0.3, "nesterov": True},
        {"lr": 0.1, "momentum": 0.8, "nesterov": True},
        {"lr": 0.1, "momentum": 1e-12, "nesterov": True},
        {"lr": 1.5, "momentum": 0.5, "weight_decay": 1.25},
        {"lr": 0.0, "momentum": 0.9},
        {"lr": 0.1},
    )


@pytest.mark.exercise("sgd_step")
def test_sgd_keeps_a_velocity_without_momentum(impl):
    """With a momentum of 0 the velocity becomes the gradient; it is never a stale one"""
    p, (v,), _ = step(impl, "sgd_step", 0.5, steps=2, lr=0.1)
    expect(v, "the velocity").close(f64(0.5), rtol=1e-12, hint="v ← momentum · v + g")
    expect(p, "the parameter").close(f64(0.9), rtol=1e-12)


@pytest.mark.exercise("sgd_step")
def test_sgd_refuses_all_that_does_not_fit(impl):
    """Settings out of range, nan and lists that do not fit are refused, and nothing has changed"""
    settings = {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.1}
    refused = [{"momentum": m} for m in (1.0, -0.1, NAN)] + [{"weight_decay": -1}]
    refused += [*NOT_IN_RANGE[:2], {"weight_decay": NAN}, {"momentum": 0.0, "nesterov": True}]
    check_refused(impl, "sgd_step", settings, refused)


@pytest.mark.exercise("rmsprop_step")
def test_adagrad(impl):
    """AdaGrad's first steps from p = 1 with g = 0.5, lr = 0.1, eps = 0.5 give 0.95, then 0.05 /
    (√0.5 + 0.5) less"""
    for steps, expected, total in [(1, 0.95, 0.25), (2, 0.95 - 0.05 / (0.5**0.5 + 0.5), 0.5)]:
        p, (s,), _ = step(impl, "adagrad_step", 0.5, steps=steps, lr=0.1, eps=0.5)
        expect(s, f"the sum after step {steps}").close(f64(total), rtol=1e-9, hint="s + g²")
        expect(p, f"the parameter after step {steps}").close(
            f64(expected), rtol=1e-9, hint="first add this g²; then p −= lr · g / (√s + eps)"
        )


@pytest.mark.exercise("rmsprop_step")
def test_adagrad_is_refused(impl):
    """AdaGrad refuses a negative eps"""
    check_setting(impl, "adagrad_step", {"lr": 0.1, "eps": 0.5}, eps=-0.5)


@pytest.mark.exercise("rmsprop_step")
def test_adagrad_is_torchs(impl, torch_rng):
    """AdaGrad's steps are torch's, for any settings in range and tensors of any shape and dtype"""
    follows_torch(
        *(impl, torch_rng, "adagrad_step"),
        *({"lr": 0.1, "eps": 0.2, "first_step": 5}, {"lr": 1.5, "eps": 0.0}),
        *({"lr": 0.0, "eps": 0.1}, {"lr": 0.1, "eps": 1e-10}),
    )


@pytest.mark.exercise("rmsprop_step")
def test_adagrad_refuses_all_that_does_not_fit(impl):
    """AdaGrad refuses settings out of range, nan and lists that do not fit, and changes nothing"""
    check_refused(impl, "adagrad_step", {"lr": 0.1, "eps": 0.1}, NOT_IN_RANGE)


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
    check_setting(impl, "rmsprop_step", {"lr": 0.1, "alpha": 0.75, "eps": 0.5}, alpha=1.0)


@pytest.mark.exercise("rmsprop_step")
def test_rmsprop_is_torchs(impl, torch_rng):
    """RMSProp's steps are torch's, for any settings in range and tensors of any shape and dtype"""
    follows_torch(
        *(impl, torch_rng, "rmsprop_step"),
        *({"lr": 0.1, "alpha": 0.8, "eps": 0.2, "first_step": 5},),
        *({"lr": 1.5, "alpha": 0.5, "eps": 0.0}, {"lr": 0.0, "alpha": 0.9, "eps": 0.1}),
        {"lr": 0.1, "alpha": 0.0, "eps": 1e-8},
    )


@pytest.mark.exercise("rmsprop_step")
def test_rmsprop_refuses_all_that_does_not_fit(impl):
    """RMSProp refuses settings out of range, nan and lists that do not fit, and changes nothing"""
    refused = [*NOT_IN_RANGE, *({"alpha": a} for a in (1.0, -0.1, NAN))]
    check_refused(impl, "rmsprop_step", {"lr": 0.1, "alpha": 0.9, "eps": 0.1}, refused)


@pytest.mark.exercise("adamw_step")
def test_adam(impl):
    """Adam's first step from p = 1 with g = 0.4 and weight decay 0.1 uses g = 0.5, so p = 0.95"""
    p, (m, v), g = step(impl, "adam_step", 0.4, first_step=1, **SETTINGS)
    expect(m, "exp_avg").close(
        f64(0.05), rtol=1e-9, hint="(1 - β1) · g, with the weight decay in g: 0.4 + 0.1 · 1"
    )
    expect(v, "exp_avg_sq").close(f64(0.0025), rtol=1e-9, hint="(1 - β2) · g²")
    expect(p, "the parameter").close(
        f64(0.95), rtol=1e-9, hint="at t = 1 the corrected averages are g and g²: √g² + eps = 1"
    )
    expect(g, "the gradient").equals(f64(0.4), hint="g = g + …, not g += …")


@pytest.mark.exercise("adamw_step")
def test_adam_and_autograd(impl):
    """With weight decay Adam's moments get no graph, and gradients stay enabled or disabled"""
    check_autograd(impl, "adam_step", first_step=1, **SETTINGS)


@pytest.mark.exercise("adamw_step")
def test_adam_refuses_step_zero(impl):
    """Step 0 of Adam is refused, since the correction would divide by 0: the first step is 1"""
    check_setting(impl, "adam_step", {"step": 1, **SETTINGS}, step=0)


@pytest.mark.exercise("adamw_step")
def test_adam_is_torchs(impl, torch_rng):
    """Adam's steps are torch's, with any settings in range, at any step, on tensors of any shape"""
    follows_torch(
        *(impl, torch_rng, "adam_step"),
        {**SETTINGS, "first_step": 3},
        {**SETTINGS, "weight_decay": 0.0},
        {**SETTINGS, "weight_decay": 3.0},
        {**SETTINGS, "eps": 0.0},
        {**SETTINGS, "betas": (0.999, 0.9999), "first_step": 1001},
        {**SETTINGS, "lr": 0.0},
    )


@pytest.mark.exercise("adamw_step")
def test_adam_refuses_all_that_does_not_fit(impl):
    """Adam refuses settings out of range, nan and lists that do not fit, and changes nothing"""
    check_refused(impl, "adam_step", {"step": 1, **SETTINGS}, [{"step": 0}, *NOT_FOR_ADAM])


@pytest.mark.exercise("adamw_step")
def test_first_step(impl):
    """AdamW's first step from p = 1 with g = 0.5 makes m = 0.05, v = 0.0025 and p = 0.94"""
    p, (m, v), _ = step(impl, "adamw_step", 0.5, first_step=1, **SETTINGS)
    expect(m, "exp_avg").close(f64(0.05), rtol=1e-9, hint="(1 - β1) · g, without the weight decay")
    expect(v, "exp_avg_sq").close(
        f64(0.0025), rtol=1e-9, hint="(1 - β2) · g², without the weight decay"
    )
    expect(p, "the parameter").close(
        f64(0.94), rtol=1e-9, hint="at t = 1 the corrected averages are g and g²: √g² + eps = 1"
    )


@pytest.mark.exercise("adamw_step")
def test_zero_gradient_only_decays(impl):
    """With zero gradients and zero averages, a step of AdamW is only the decay: 1 - 0.1 · 0.1"""
    p, _, _ = step(impl, "adamw_step", 0.0, first_step=1, **SETTINGS)
    expect(p, "the parameter").close(f64(0.99), rtol=1e-9)


@pytest.mark.exercise("adamw_step")
def test_refuses_step_zero(impl):
    """Step 0 of AdamW is refused, since the correction would divide by 0: the first step is 1"""
    check_setting(impl, "adamw_step", {"step": 1, **SETTINGS}, step=0)


@pytest.mark.exercise("adamw_step")
def test_adamw_is_torchs(impl, torch_rng):
    """AdamW's steps are torch's, with any settings in range, at any step, on tensors of any
    shape"""
    follows_torch(
        *(impl, torch_rng, "adamw_step"),
        {**SETTINGS, "first_step": 3},
        {**SETTINGS, "lr": 0.5, "weight_decay": 3.0},
        {**SETTINGS, "lr": 1e-3, "weight_decay": 1e-4},
        {**SETTINGS, "eps": 0.0},
        {**SETTINGS, "betas": (0.99999, 0.999999), "eps": 1e-8},
        {**SETTINGS, "lr": 0.0},
    )


@pytest.mark.exercise("adamw_step")
def test_adamw_refuses_all_that_does_not_fit(impl):
    """AdamW refuses settings out of range, nan and lists that do not fit, and changes nothing"""
    check_refused(impl, "adamw_step", {"step": 1, **SETTINGS}, [{"step": 0}, *NOT_FOR_ADAM])


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
        theirs.detach(), rtol=1e-9, hint="call adamw_step with the step count of this parameter"
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
        [f64(1.0), f64(1.0)], [f64(0.5)[None], f64(0.5)[None]], present=[[True, False]], **SETTINGS
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
    """Under `torch.no_grad()`, too, a step uses the gradients that its closure makes"""
    result = impl.scenarios.adamw_closure(
        f64(1.0), lambda _: f64(0.5), steps=1, grad_enabled=False, **SETTINGS
    )
    expect(result["weight"], "the weight").close(
        f64(0.94),
        rtol=1e-9,
        hint="first call the closure, in `with torch.enable_grad():`; the step uses its gradients",
    )


def torchs_adamw(params, grads, groups, present=None, changes=(), added=(), **settings):
    """The parameters after torch.optim.AdamW's steps, and its state_dict."""
    tensors = [torch.nn.Parameter(p.clone()) for p in params]

    def of_tensors(group):
        return {**group, "params": [tensors[n] for n in group["params"]]}

    optimizer = torch.optim.AdamW(map(of_tensors, groups), foreach=False, **settings)
    for group in added:
        optimizer.add_param_group(of_tensors(group))
    for i in range(len(grads[0])):
        for n, (p, g) in enumerate(zip(tensors, grads, strict=True)):
            p.grad = g[i].clone() if present is None or present[i][n] else None
        for group in optimizer.param_groups if changes else ():
            group.update(changes[i])
        optimizer.step()
    return [p.detach() for p in tensors], optimizer.state_dict()


@pytest.mark.exercise("adamw_optimizer")
def test_optimizer_with_groups_is_torchs(impl, torch_rng):
    """Groups, missing and zero gradients, changes of settings and groups added later are as in
    torch"""
    params = [torch.randn(shape, generator=torch_rng).double() for shape in [(3,), (2, 2), ()]]
    params[0] = params[0].float()
    grads = [torch.randn((8, *p.shape), generator=torch_rng, dtype=p.dtype) for p in params]
    grads[1][3:6] = 0
    groups = [{"params": [0, 2], "lr": 0.02, "betas": (0.8, 0.9)}, {"params": [1]}]
    added = [{"params": [1], "eps": 0.1}]
    runs = OptimizerRuns(impl)
    rates = [{"lr": 0.01 * i, "betas": (0.1 * i, 0.9)} for i in range(8)]
    others = [{"eps": 0.1 * i, "weight_decay": 1.0 * i} for i in range(8)]
    hows = [
        {"groups": groups, **SETTINGS},
        {"groups": groups[:1], "added": added, "weight_decay": 0.3},
        {"groups": groups, "present": [[i > 2, i != 1, i % 2 == 0] for i in range(8)], **SETTINGS},
        {"groups": groups, "changes": rates},
        {"groups": groups, "changes": others},
    ]
    lefts = [runs.adamw(params, grads, **how) for how in hows]
    for how, left in zip(hows, lefts, strict=True):
        expected, theirs = torchs_adamw(params, grads, **how)
        for i, p in enumerate(expected):
            alike(left["params"][i], p, f"parameter {i} with {how}")
        for n, state in theirs["state"].items():
            ours = left.state_dict["state"].get(n, {})
            expect(sorted(ours), f"the state of parameter {n}").equals(sorted(state))
            expect(ours["step"], f"steps of parameter {n} with {how}").equals(int(state["step"]))
            expect(ours["exp_avg"], "exp_avg").is_tensor(state["exp_avg"].shape, params[n].dtype)
        for group in left.state_dict["param_groups"]:
            expect(sorted(group), "what a group holds").equals(
                ["betas", "eps", "lr", "params", "weight_decay"]
            )


@pytest.mark.exercise("adamw_optimizer")
def test_schedulers_and_torchs_state(impl, torch_rng):
    """A scheduler may set the learning rate, and a state that torch saved goes on as an int"""
    params = [torch.randn(3, generator=torch_rng, dtype=torch.float64)]
    grads = [torch.randn(6, 3, generator=torch_rng, dtype=torch.float64)]
    group, factors = [{"params": [0]}], [1.0, 0.5, 2.0, 0.0, 1.0, 3.0]
    half_way, state = torchs_adamw(params, [grads[0][:4]], group, **SETTINGS)
    runs = OptimizerRuns(impl)
    scheduled = runs.adamw(params, grads, lr_factors=factors, **SETTINGS)
    resumed = runs.adamw(half_way, [grads[0][4:]], state=state)
    rates = [{"lr": SETTINGS["lr"] * factor} for factor in factors]
    expected, _ = torchs_adamw(params, grads, group, changes=rates, **SETTINGS)
    alike(scheduled["params"][0], expected[0], "the parameter with a scheduler")
    expected, _ = torchs_adamw(params, grads, group, **SETTINGS)
    expect(resumed["params"][0], "the parameter after torch's state was loaded").close(
        expected[0], rtol=1e-6
    )
    expect(resumed.state_dict["state"][0]["step"], "step").equals(6, hint="int(state['step']) + 1")


@pytest.mark.exercise("adamw_optimizer")
def test_optimizer_refuses_when_it_is_made(impl):
    """A setting out of range is refused when the optimizer is made or a group is added, by any of
    them"""
    params, runs = [f64(1.0), f64(2.0)], OptimizerRuns(impl)
    none, ones = [torch.zeros(0, 1).double()] * 2, [torch.ones(1, 1).double()] * 2
    good = {"params": [0], "eps": math.inf}
    left = runs.adamw(
        *(params, ones),
        groups=[{"params": [0], **SETTINGS}],
        refused=[{"params": [1], "lr": -0.1}, {"params": [0]}],
        added=[{"params": [1], **SETTINGS}],
    )
    runs.adamw(params, none, groups=[good, {"params": [1]}], lr=math.inf)
    for wrong in NOT_FOR_ADAM:
        for how in [
            {**wrong, "groups": [{"params": [0, 1], **SETTINGS}]},
            {"groups": [good, {"params": [1], **wrong}]},
            {"groups": [good], "added": [{"params": [1], **wrong}]},
        ]:
            with pytest.raises(ValueError):
                runs.adamw(params, none, **how)
    expected = torchs_adamw(params, ones, [{"params": [0, 1]}], **SETTINGS)[0]
    expect(left["params"], "the parameters").close(expected, rtol=1e-9)
    expect(len(left.state_dict["param_groups"]), "the number of groups").equals(2)


MUON = {"lr": 0.1, "momentum": 0.5, "weight_decay": 0.0}


def muon(impl, *given, settings=MUON, **how):
    """Steps of Muon on parameters in one call, each (p, gradients, b); they and their buffers."""
    params, grads, buffers = map(list, zip(*given, strict=True))
    runs = OptimizerRuns(impl)
    left = runs.steps("optimizers.muon_step", params, grads, [buffers], **settings, **how)
    return left["params"], left["states"][0], left["grads"]


def five_times(sizes):
    """What becomes of singular values in five iterations."""
    for _ in range(5):
        sizes = 3.4445 * sizes - 4.7750 * sizes**3 + 2.0315 * sizes**5
    return sizes


@pytest.mark.exercise("muon_step")
def test_muon_by_hand(impl):
    """With momentum 0.5, b = diag(12, 4) and g = diag(0, 4) make b = diag(6, 4) and u = diag(3, 4),
    of which 3 / 5 and 4 / 5 become 0.723 and 1.119 in five iterations"""
    zeros = torch.zeros(2, 2, dtype=torch.float64)
    (p,), (b,), _ = muon(impl, (zeros, f64(0.0, 4.0).diag()[None], f64(12.0, 4.0).diag()))
    expect(b, "the buffer").close(
        f64(6.0, 4.0).diag(), rtol=1e-9, hint="the average of g and b, with the weights 0.5 and 0.5"
    )
    expect(p / -0.1, "O, the parameter divided by -lr").close(
        five_times(f64(0.6, 0.8)).diag(),
        rtol=1e-9,
        atol=1e-12,
        hint="u is the average of g and the new b; only matrix products, no product by element",
    )


@pytest.mark.exercise("muon_step")
def test_muon_of_long_matrices(impl):
    """Each element of O for n ones is 0.696 / √n: a column moves by lr · √n · O, which is 0.696 lr,
    and a row by lr · O. 120,000 ones need no matrix of 120,000×120,000"""
    settings = {**MUON, "weight_decay": 0.5}
    for n in (4, 120_000):
        column = torch.ones(n, 1, dtype=torch.float64)
        given = [(ones, ones[None], 0 * ones) for ones in (column, column.T)]
        (tall, wide), _, _ = muon(impl, *given, settings=settings)
        step, decayed = 0.1 * five_times(1.0), 0.95 * column
        expect(tall, f"the column of {n} ones").close(
            decayed - step,
            rtol=1e-9,
            hint="lr · √(rows / columns) · O, in p's dtype; A is uᵀ·u, and 1×1",
        )
        expect(wide, f"the row of {n} ones").close(
            decayed.T - step / n**0.5, rtol=1e-9, hint="the step is lr · O; A is u·uᵀ, and 1×1"
        )


@pytest.mark.exercise("muon_step")
def test_muon_of_small_updates(impl):
    """A gradient of zeros leaves only the decay: 1 - 0.5 · 3 = -0.5; one of norm 5e-8 is divided by
    1e-7"""
    one = torch.eye(1, dtype=torch.float64)
    settings = {"lr": 0.5, "momentum": 0.0, "weight_decay": 3.0}
    (still, moved), _, _ = muon(
        impl, (one, 0 * one[None], 0 * one), (one, 5e-8 * one[None], 0 * one), settings=settings
    )
    expect(still, "p with a gradient of 0").close(-0.5 * one, rtol=1e-9, hint="0 / 0 is nan")
    expect(moved, "p with a gradient of 5e-8").close(
        (-0.5 - 0.5 * five_times(0.5)) * one, rtol=1e-9, hint="X = u / max(‖u‖, 1e-7)"
    )


def torchs_muon(p, g, b, settings):
    """torch's own step, which iterates in bfloat16; the class would do, but takes seconds."""
    module = importlib.import_module("torch.optim._muon")
    fixed = {"nesterov": True, "adjust_lr_fn": None, "has_complex": False}
    fixed |= {"ns_coefficients": (3.4445, -4.7750, 2.0315), "ns_steps": 5, "eps": 1e-7}
    with torch.no_grad():
        module.muon([p], [g], [b], **settings, **fixed)


@pytest.mark.exercise("muon_step")
def test_muon_is_torchs(impl, torch_rng):
    """Steps are torch's up to bfloat16, in place, and the singular values of O are exact up to the
    parameter's dtype"""
    given = []
    for i, shape in enumerate([(4, 4), (2, 5), (7, 3), (3, 3)]):
        dtype = torch.float32 if i == 0 else torch.float64
        drawn = torch.randn((6, *shape), generator=torch_rng, dtype=dtype)
        left, sizes, right = torch.linalg.svd(drawn, full_matrices=False)
        drawn = left * (1 + sizes.sort().values)[..., None, :] @ right  # no size is near 0
        given.append((drawn[0], drawn[1:5], drawn[5]))
    settings = {"lr": 0.05, "momentum": 0.3, "weight_decay": 0.4}
    how = {"transposed": True, "requires_grad": True}
    params, buffers, grads = muon(impl, *given, settings=settings, **how)
    alone = [(torch.zeros_like(p), g[:1], torch.zeros_like(b)) for p, g, b in given]
    moves, _, _ = muon(impl, *alone, settings={**settings, "weight_decay": 0.0})
    for i, (p, g, b) in enumerate(given):
        theirs, buffer, what = p.clone(), b.clone(), f"parameter {i} of shape {tuple(p.shape)}"
        for one in g:
            torchs_muon(theirs, one.clone(), buffer, settings)
        alike(buffers[i], buffer, f"the buffer of {what}")
        expect(params[i], what).close(theirs, rtol=0, atol=0.05)
        for found, one in zip(grads, g, strict=True):
            alike(found[i], one, f"the gradient of {what}, which stays as it was")
        sizes, scale = torch.linalg.svdvals(g[0]), max(1, p.shape[0] / p.shape[1]) ** 0.5
        wanted = 0.05 * scale * five_times(sizes / sizes.norm())
        found = torch.linalg.svdvals(moves[i])
        alike(found, wanted.sort(descending=True).values, f"singular values of a step of {what}")


@pytest.mark.exercise("muon_step")
def test_muon_refuses_all_that_does_not_fit(impl):
    """Muon refuses settings out of range, nan, lists that do not fit and what is not a matrix, and
    changes nothing"""
    settings = {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.1}
    refused = [{"momentum": m} for m in (1.0, -0.1, NAN)] + [{"weight_decay": NAN}]
    refused += [{"lr": -0.1}, {"lr": NAN}, {"weight_decay": -0.1}]
    check_refused(impl, "muon_step", settings, refused, shapes=((3, 3), (2, 2)))
    for shape in [(), (4,), (1, 2, 2)]:
        params, grads, buffers = ([torch.ones(2, 2), torch.ones(shape)] for _ in range(3))
        with pytest.raises(ValueError):
            impl.optimizers.muon_step(params, grads, buffers, **settings)


@pytest.mark.exercise("muon_step")
def test_muon_flops(impl, rng):
    """2×3 takes 24 + 16 + 24 FLOPs an iteration, n×n takes 6·n³, and 1024×4096 takes 9.66e10 in
    all, as many as 4096×1024"""
    flops = impl.optimizers.muon_flops
    expect(flops(2, 3, 1)).equals(64, hint="(2×3)·(3×2), (2×2)·(2×2) and (2×2)·(2×3)")
    expect(flops(1024, 4096)).equals(96_636_764_160)
    n, k, steps = rng.integers(2, 100_000, size=3).tolist()
    expect(flops(n, n, 0), "FLOPs of no iteration").equals(0)
    expect(flops(n, n), f"FLOPs of {n}×{n}").equals(5 * 6 * n**3, hint="three products of n³")
    # Of k matrices n×n side by side, A is still n×n.
    for shape in [(n, k * n), (k * n, n)]:
        expect(flops(*shape, steps), f"FLOPs of {shape} in {steps} iterations").equals(
            steps * (4 * k + 2) * n**3, hint="for tall matrices as for their transposes"
        )
