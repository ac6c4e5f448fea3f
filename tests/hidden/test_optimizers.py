"""AdamW, held against torch.optim.AdamW.

Gradients are given, not computed from the parameters, so rounding does not feed back. In float64 a
few hundred steps in another order of operations stay within 1e-10; in float32, where each of the
operations rounds by 6e-8, within 1e-5 of the largest value plus 1e-6 of all the steps taken.
"""

import math

import pytest
import torch

from assignment.expect import expect

SHAPES = [(), (0, 3), (3, 5), (2, 3, 4), (1023,)]
REFUSED = [
    {"lr": -1e-3},
    {"eps": -1e-8},
    {"weight_decay": -0.1},
    {"betas": (1.0, 0.99)},
    {"betas": (0.9, 1.0)},
    {"betas": (-0.1, 0.99)},
    {"betas": (0.9, -0.1)},
]


def random_settings(rng):
    """Settings in which every term counts: eps is of the gradients' size, betas are short."""
    return {
        "lr": float(rng.uniform(0.01, 0.05)),
        "betas": (float(rng.uniform(0.7, 0.95)), float(rng.uniform(0.9, 0.995))),
        "eps": float(rng.uniform(0.05, 0.5)),
        "weight_decay": float(rng.uniform(0.05, 0.5)),
    }


def random_tensors(torch_rng, shapes, *, steps=None, dtype=torch.float64):
    lead = () if steps is None else (steps,)
    return [torch.randn((*lead, *shape), generator=torch_rng, dtype=dtype) for shape in shapes]


def zeros(tensors):
    return [torch.zeros_like(t) for t in tensors]


def torch_adamw(params, grads, *, present=None, groups=None, lrs=None, state=None, **settings):
    """What torch's AdamW does: its parameters, and itself."""
    tensors = [torch.nn.Parameter(p.clone()) for p in params]
    grouped = tensors
    if groups is not None:
        grouped = [{**group, "params": [tensors[n] for n in group["params"]]} for group in groups]
    optimizer = torch.optim.AdamW(grouped, foreach=False, **settings)
    if state is not None:
        optimizer.load_state_dict(state)
    for i in range(len(grads[0])):
        for group in optimizer.param_groups if lrs else ():
            group["lr"] = group.setdefault("initial_lr", group["lr"]) * lrs[i]
        for n, (p, g) in enumerate(zip(tensors, grads, strict=True)):
            p.grad = g[i].clone() if present is None or present[i][n] else None
        optimizer.step()
    return [p.detach() for p in tensors], optimizer


def close64(found, expected, what):
    expect(found, what).close(expected, rtol=1e-10, atol=1e-10)


# --- adamw_step -------------------------------------------------------------


@pytest.mark.exercise("adamw_step", weight=2)
def test_step_float64(impl, rng, torch_rng):
    """Hundreds of steps in float64 end where torch.optim.AdamW ends: parameters and moments"""
    params = random_tensors(torch_rng, SHAPES)
    grads = random_tensors(torch_rng, SHAPES, steps=200)
    settings = random_settings(rng)
    expected, optimizer = torch_adamw(params, grads, **settings)
    result = impl.scenarios.adamw_steps(params, grads, zeros(params), zeros(params), **settings)
    close64(result["params"], expected, "params")
    for name in ("exp_avg", "exp_avg_sq"):
        moments = [entry[name] for entry in optimizer.state_dict()["state"].values()]
        close64(result[f"{name}s"], moments, name)


@pytest.mark.exercise("adamw_step")
def test_step_float32(impl, rng, torch_rng):
    """With the usual settings in float32, steps follow torch.optim.AdamW to rounding"""
    shapes = [(5,), (4, 6)]
    params = random_tensors(torch_rng, shapes, dtype=torch.float32)
    grads = [1e-3 * g for g in random_tensors(torch_rng, shapes, steps=300, dtype=torch.float32)]
    settings = {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0.1}
    expected, _ = torch_adamw(params, grads, **settings)
    result = impl.scenarios.adamw_steps(params, grads, zeros(params), zeros(params), **settings)
    expect(result["params"], "params").close(expected, rtol=1e-5, atol=1e-5)


@pytest.mark.exercise("adamw_step")
def test_eps_is_outside_the_root(impl, rng):
    """eps is added outside the square root and after the bias correction"""
    for _ in range(10):
        lr, beta1, beta2 = rng.uniform(0.1, 1), rng.uniform(0.1, 0.9), rng.uniform(0.1, 0.999)
        eps, g = float(rng.uniform(0.1, 2)), float(rng.normal())
        t, m, v = int(rng.integers(1, 9)), float(rng.normal()), float(rng.uniform(0, 2))
        new_m, new_v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
        moved = lr * (new_m / (1 - beta1**t)) / (math.sqrt(new_v / (1 - beta2**t)) + eps)
        tensor = lambda x: torch.tensor([x], dtype=torch.float64)  # noqa: E731
        result = impl.scenarios.adamw_steps(
            [tensor(0.0)],
            [tensor(g)[None]],
            [tensor(m)],
            [tensor(v)],
            first_step=t,
            lr=float(lr),
            betas=(float(beta1), float(beta2)),
            eps=eps,
            weight_decay=0.0,
        )
        expect(result["params"][0], "the parameter").close(tensor(-moved), rtol=1e-10)


@pytest.mark.exercise("adamw_step")
def test_decay_is_decoupled(impl, rng, torch_rng):
    """Weight decay multiplies the parameter by 1 - lr · weight_decay and enters no moment"""
    params = random_tensors(torch_rng, [(6,), (2, 3)])
    grads = random_tensors(torch_rng, [(6,), (2, 3)], steps=1)
    settings = random_settings(rng)
    plain, decayed = (
        impl.scenarios.adamw_steps(
            params, grads, zeros(params), zeros(params), **{**settings, "weight_decay": decay}
        )
        for decay in (0.0, settings["weight_decay"])
    )
    factor = settings["lr"] * settings["weight_decay"]
    expected = [q - factor * p for p, q in zip(params, plain["params"], strict=True)]
    close64(decayed["params"], expected, "params")
    for name in ("exp_avgs", "exp_avg_sqs"):
        assert all(t.abs().min() > 0 for t in plain[name])
        close64(decayed[name], plain[name], name)


@pytest.mark.exercise("adamw_step")
def test_step_is_in_place(impl, rng, torch_rng):
    """Parameters and moments change in their own storage, gradients not at all"""
    params = random_tensors(torch_rng, [(4, 3), (5,)])
    grads = random_tensors(torch_rng, [(4, 3), (5,)], steps=3)
    settings = random_settings(rng)
    expected, optimizer = torch_adamw(params, grads, **settings)
    for how in ({}, {"transposed": True}, {"requires_grad": True}):
        moments = zeros(params), zeros(params)
        result = impl.scenarios.adamw_steps(params, grads, *moments, **settings, **how)
        close64(result["params"], expected, "params")
        for name in ("exp_avg", "exp_avg_sq"):
            wanted = [entry[name] for entry in optimizer.state_dict()["state"].values()]
            close64(result[f"{name}s"], wanted, name)
        expect(result["grads"], "grads").equals(grads)


@pytest.mark.exercise("adamw_step")
def test_extreme_gradients(impl, rng, torch_rng):
    """Zero, tiny and huge gradients give what torch.optim.AdamW gives, never nan"""
    shapes = [(4,)] * 4
    params = random_tensors(torch_rng, shapes, dtype=torch.float32)
    grads = random_tensors(torch_rng, shapes, steps=12, dtype=torch.float32)
    for g, size in zip(grads, (0.0, 1e-12, 1.0, 1e15), strict=True):
        g.mul_(size)
    settings = {**random_settings(rng), "eps": 1e-8}
    expected, _ = torch_adamw(params, grads, **settings)
    result = impl.scenarios.adamw_steps(params, grads, zeros(params), zeros(params), **settings)
    expect(result["params"], "params").close(expected, rtol=1e-5, atol=1e-5)


@pytest.mark.exercise("adamw_step")
def test_step_refuses(impl, rng, torch_rng):
    """Lists, shapes, steps and settings that do not fit are refused before anything changes"""
    shapes = [(3,), (2, 2)]
    params, grads = random_tensors(torch_rng, shapes), random_tensors(torch_rng, shapes)
    settings = {**random_settings(rng), "step": 1}
    moments = zeros(params), zeros(params)
    good = impl.scenarios.adamw_step_refused(params, grads, *moments, **settings)
    expect(good["refused"], "a good call refused").equals(False)
    expected, _ = torch_adamw(
        params, [g[None] for g in grads], **{k: v for k, v in settings.items() if k != "step"}
    )
    close64(good["params"], expected, "params")
    cases = [
        *(((params, grads, *moments), bad) for bad in [*REFUSED, {"step": 0}, {"step": -1}]),
        ((params, grads[:1], *moments), {}),
        ((params[:1], grads, *moments), {}),
        ((params, grads, moments[0][:1], moments[1]), {}),
        ((params, grads, moments[0], []), {}),
        ((params, [grads[0], grads[1][:1]], *moments), {}),
        ((params, [grads[0], grads[1].flatten()], *moments), {}),
        ((params, grads, [moments[0][0], torch.zeros(())], moments[1]), {}),
        ((params, grads, moments[0], [moments[1][0], torch.zeros(2)]), {}),
    ]
    for tensors, bad in cases:
        result = impl.scenarios.adamw_step_refused(*tensors, **{**settings, **bad})
        expect(result["refused"], f"refused {bad or 'tensors that do not fit'}").equals(True)
        expect(result["params"], "params after a refusal").equals(tensors[0])
        expect(result["exp_avgs"], "exp_avgs after a refusal").equals(tensors[2])


# --- AdamW ------------------------------------------------------------------


@pytest.mark.exercise("adamw_optimizer", weight=2)
def test_optimizer_follows_torch(impl, rng, torch_rng):
    """Hundreds of steps end where torch.optim.AdamW ends, with the parameters' storage kept"""
    shapes = [(), (0, 2), (3, 5)]
    for dtype, steps, tolerance in [(torch.float64, 200, 1e-10), (torch.float32, 50, 1e-5)]:
        params = random_tensors(torch_rng, shapes, dtype=dtype)
        grads = random_tensors(torch_rng, shapes, steps=steps, dtype=dtype)
        settings = random_settings(rng)
        expected, _ = torch_adamw(params, grads, **settings)
        result = impl.scenarios.adamw_optimizer(params, grads, **settings)
        expect(result["params"], "params").close(expected, rtol=tolerance, atol=tolerance)


@pytest.mark.exercise("adamw_optimizer")
def test_groups_and_defaults(impl, rng, torch_rng):
    """Each parameter group has its own settings; those it does not set are the optimizer's"""
    shapes = [(3,), (2, 2), (4,), (5,)]
    params = random_tensors(torch_rng, shapes)
    grads = random_tensors(torch_rng, shapes, steps=30)
    own = random_settings(rng)
    groups = [
        {"params": [2], **random_settings(rng)},
        {"params": [0, 3], "weight_decay": 0.0},
        {"params": [1], "lr": own["lr"], "betas": own["betas"], "eps": own["eps"]},
    ]
    for settings in (random_settings(rng), {}):
        expected, _ = torch_adamw(params, grads, groups=groups, **settings)
        result = impl.scenarios.adamw_optimizer(params, grads, groups=groups, **settings)
        close64(result["params"], expected, "params")


@pytest.mark.exercise("adamw_optimizer")
def test_missing_gradients(impl, rng, torch_rng):
    """A gradient of None skips the parameter: no decay, no state, no step counted"""
    shapes = [(3,), (2, 2), (4,)]
    params = random_tensors(torch_rng, shapes)
    grads = random_tensors(torch_rng, shapes, steps=25)
    present = [[True, bool(rng.random() < 0.5), False] for _ in range(25)]
    present[0][1], present[1][1] = False, True
    settings = random_settings(rng)
    expected, optimizer = torch_adamw(params, grads, present=present, **settings)
    result = impl.scenarios.adamw_optimizer(params, grads, present=present, **settings)
    close64(result["params"], expected, "params")
    expect(result["params"][2], "the parameter without a gradient").equals(params[2])
    expect(sorted(result["state_dict"]["state"]), "parameters with a state").equals(
        sorted(optimizer.state_dict()["state"])
    )


@pytest.mark.exercise("adamw_optimizer")
def test_zero_gradients(impl, rng, torch_rng):
    """A gradient of zeros is a gradient: the parameter decays and its moments fade"""
    params = random_tensors(torch_rng, [(3,), (4,)])
    grads = random_tensors(torch_rng, [(3,), (4,)], steps=12)
    grads[0][4:] = 0
    grads[1][:] = 0
    settings = random_settings(rng)
    expected, _ = torch_adamw(params, grads, **settings)
    result = impl.scenarios.adamw_optimizer(params, grads, **settings)
    close64(result["params"], expected, "params")


@pytest.mark.exercise("adamw_optimizer")
def test_learning_rate_changes(impl, rng, torch_rng):
    """A scheduler's changes to the learning rate take effect, in each group"""
    shapes = [(3,), (2, 2)]
    params = random_tensors(torch_rng, shapes)
    grads = random_tensors(torch_rng, shapes, steps=20)
    settings, factors = random_settings(rng), [float(f) for f in rng.uniform(0, 2, size=20)]
    groups = [{"params": [0], "lr": 0.1}, {"params": [1]}]
    expected, _ = torch_adamw(params, grads, groups=groups, lrs=factors, **settings)
    result = impl.scenarios.adamw_optimizer(
        params, grads, groups=groups, lr_factors=factors, **settings
    )
    close64(result["params"], expected, "params")


@pytest.mark.exercise("adamw_optimizer", weight=2)
def test_state_survives_saving(impl, rng, torch_rng):
    """A run whose state goes through a file into a fresh optimizer ends where one without does"""
    shapes = [(3,), (2, 2), ()]
    params = random_tensors(torch_rng, shapes)
    grads = random_tensors(torch_rng, shapes, steps=20)
    present = [[True, i % 3 > 0, i > 12] for i in range(20)]
    groups = [{"params": [1], **random_settings(rng)}, {"params": [0, 2]}]
    settings = random_settings(rng)
    expected, _ = torch_adamw(params, grads, present=present, groups=groups, **settings)
    for at in (1, int(rng.integers(2, 19))):
        result = impl.scenarios.adamw_optimizer(
            params, grads, present=present, groups=groups, reload_at=at, **settings
        )
        close64(result["params"], expected, "params")


@pytest.mark.exercise("adamw_optimizer")
def test_state_is_exchanged_with_torch(impl, rng, torch_rng):
    """torch.optim.AdamW goes on from its state_dict, and it from that of torch.optim.AdamW"""
    shapes = [(3,), (2, 2)]
    params = random_tensors(torch_rng, shapes)
    grads = random_tensors(torch_rng, shapes, steps=16)
    first, rest = [g[:9] for g in grads], [g[9:] for g in grads]
    settings = random_settings(rng)
    expected, _ = torch_adamw(params, grads, **settings)

    ours = impl.scenarios.adamw_optimizer(params, first, **settings)
    state = ours["state_dict"]
    for entry in state["state"].values():
        expect(int(entry["step"]), "step").equals(9)
    state = {**torch_adamw(params, first)[1].state_dict(), "state": state["state"]}
    state["param_groups"] = [
        {**theirs, **mine}
        for theirs, mine in zip(
            state["param_groups"], ours["state_dict"]["param_groups"], strict=True
        )
    ]
    onward, _ = torch_adamw(ours["params"], rest, state=state)
    close64(onward, expected, "params of torch.optim.AdamW")

    half_way, theirs = torch_adamw(params, first, **settings)
    result = impl.scenarios.adamw_optimizer(half_way, rest, state=theirs.state_dict())
    # torch keeps the step in a float32 tensor; with it 1 - β2ᵗ may be rounded to float32.
    expect(result["params"], "params").close(expected, rtol=1e-5, atol=1e-5)


@pytest.mark.exercise("adamw_optimizer")
def test_closure(impl, rng, torch_rng):
    """step(closure) calls it once with gradients enabled and returns its loss"""
    inputs, targets, weight = random_tensors(torch_rng, [(8, 3), (8,), (3,)])
    settings = random_settings(rng)
    theirs = torch.nn.Parameter(weight.clone())
    optimizer = torch.optim.AdamW([theirs], foreach=False, **settings)
    losses = []
    for _ in range(10):
        loss = (inputs @ theirs - targets).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    result = impl.scenarios.adamw_closure(weight, inputs, targets, steps=10, **settings)
    # Here gradients follow from the parameters, so rounding feeds back a little.
    expect(result["losses"], "losses").close(losses, rtol=1e-8)
    expect(result["weight"], "weight").close(theirs.detach(), rtol=1e-8, atol=1e-8)
    expect(result["calls"], "calls of the closure").equals(10)


@pytest.mark.exercise("adamw_optimizer", weight=0.5)
def test_optimizer_refuses(impl, rng, torch_rng):
    """Settings outside their ranges are refused when the optimizer is made"""
    for bad in REFUSED:
        expect(impl.scenarios.adamw_refused(**bad), f"{bad} refused").equals(True)
    settings = {"lr": 0.0, "betas": (0.0, 0.0), "eps": 0.0, "weight_decay": 0.0}
    expect(impl.scenarios.adamw_refused(**settings), "zeros refused").equals(False)
    params, grads = random_tensors(torch_rng, [(3,)]), random_tensors(torch_rng, [(3,)], steps=2)
    settings = random_settings(rng)
    expected, _ = torch_adamw(params, grads, **settings)
    close64(impl.scenarios.adamw_optimizer(params, grads, **settings)["params"], expected, "params")
