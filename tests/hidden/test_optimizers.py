"""Steps of optimizers, compared with those of torch.optim.

Gradients are given, not computed from the parameters, so rounding errors hardly grow. In float64 a
few hundred steps in another order of operations stay within 1e-10; in float32, where each operation
rounds by 6e-8, within 1e-5 of the largest value plus 1e-6 of all the steps taken.
"""

import math
from contextlib import nullcontext
from dataclasses import dataclass

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from assignment.calls.layouts import rearranged
from assignment.expect import expect
from assignment.material.optimizer_runs import OptimizerRuns

SHAPES = [(), (0, 3), (3, 5), (2, 3, 4), (1023,)]
RANGES = {"lr": (0.01, 0.05), "eps": (0.05, 0.5), "weight_decay": (0.05, 0.5)}
RANGES |= {"momentum": (0.7, 0.95), "alpha": (0.7, 0.95)}
UNLIMITED = ["lr", "eps", "weight_decay"]  # may be large, or infinite
LATE = 10**6  # the number of a step at which 1 - beta**step is 1


@dataclass(frozen=True)
class Method:
    """A step function, and the optimizer of torch that it must agree with."""

    function: str
    torch: type[torch.optim.Optimizer]
    states: tuple[str, ...]  # torch's names of the state tensors
    settings: tuple[str, ...]
    counts: bool = False  # whether it takes the number of the step


SGD = Method("sgd_step", torch.optim.SGD, ("momentum_buffer",), ("lr", "momentum", "weight_decay"))
ADAGRAD = Method("adagrad_step", torch.optim.Adagrad, ("sum",), ("lr", "eps"))
RMSPROP = Method("rmsprop_step", torch.optim.RMSprop, ("square_avg",), ("lr", "alpha", "eps"))
MOMENTS, ADAM_SETTINGS = ("exp_avg", "exp_avg_sq"), ("lr", "betas", "eps", "weight_decay")
ADAM = Method("adam_step", torch.optim.Adam, MOMENTS, ADAM_SETTINGS, counts=True)
ADAMW = Method("adamw_step", torch.optim.AdamW, MOMENTS, ADAM_SETTINGS, counts=True)
MUON_SETTINGS = ("lr", "momentum", "weight_decay")
MUON = Method("muon_step", torch.optim.Muon, ("momentum_buffer",), MUON_SETTINGS)


def random_settings(rng, method=ADAMW):
    """Settings in which every term matters: eps is as large as the gradients, averages are
    short."""
    return {
        name: (float(rng.uniform(0.7, 0.95)), float(rng.uniform(0.9, 0.995)))
        if name == "betas"
        else float(rng.uniform(*RANGES[name]))
        for name in method.settings
    }


def plain_settings(rng, method):
    """Settings without decay and eps, and with two betas that are the same.

    At `LATE` steps there is no bias correction either. So a mistake in one of these terms costs few
    checks but those of that term. But code that has none of them passes few: each is in some other
    check, too. Only AdamW has its decay, which makes it another method.
    """
    settings = random_settings(rng, method)
    beta = float(rng.uniform(0.7, 0.95))
    plain = {"betas": (beta, beta), "eps": 0.0}
    plain |= {} if method is ADAMW else {"weight_decay": 0.0}
    return {name: plain.get(name, value) for name, value in settings.items()}


def refused_settings(method):
    """Settings just outside each range, or nan."""
    for name in method.settings:
        for bad in (-1e-3, math.nan) if name in UNLIMITED else (-0.1, 1.0, math.nan):
            if name == "betas":
                yield from ({name: (bad, 0.99)}, {name: (0.9, bad)})
            else:
                yield {name: bad}


def random_tensors(torch_rng, shapes, *, steps=None, dtype=torch.float64):
    lead = () if steps is None else (steps,)
    drawn = [torch.randn((*lead, *shape), generator=torch_rng, dtype=dtype) for shape in shapes]
    return [rearranged(t, torch_rng) for t in drawn]


def random_start(torch_rng, method, shapes, steps=1):
    """Parameters, gradients and states; no state is negative."""
    params, *states = (random_tensors(torch_rng, shapes) for _ in ("params", *method.states))
    grads = random_tensors(torch_rng, shapes, steps=steps)
    return params, grads, [[t.abs() for t in tensors] for tensors in states]


def scalar(x):
    return torch.tensor([x], dtype=torch.float64)


def compare(found, expected, what):
    """Compares tensors, or lists of them; nan is expected where there is nan."""
    if isinstance(expected, list):
        for i, (one, like) in enumerate(zip(found, expected, strict=True)):
            compare(one, like, f"{what}[{i}]")
        return
    near = 1e-10 if expected.dtype is torch.float64 else 1e-5
    expect(found, what).close(expected, rtol=near, atol=near, equal_nan=True)


class Runs(OptimizerRuns):
    """Runs of the implementation, compared when the test's function has returned.

    That is because the first look at a result ends the process that made it.
    """

    def __init__(self, impl):
        super().__init__(impl)
        self._expected = []

    def agree(self, method, params, grads, states=None, **settings):
        """Steps that must leave what torch's leave, which is returned: parameters and states."""
        left = self.of(method, params, grads, states, **settings)
        expected, kept = steps_of_torch(method, params, grads, states, **settings)
        self.leaves(left, params=expected, states=kept)
        return expected, kept

    def move(self, method, params, grads, states=None, **settings):
        """Steps that must leave torch's parameters, whatever the states."""
        left = self.of(method, params, grads, states, **settings)
        self.leaves(left, params=steps_of_torch(method, params, grads, states, **settings)[0])

    def of(self, method, params, grads, states=None, *, first_step=1, **settings):
        """Steps of which nothing is expected yet."""
        states = fresh(method, params) if states is None else states
        step = first_step if method.counts else None
        name = f"optimizers.{method.function}"
        return self.steps(name, params, grads, states, first_step=step, **settings)

    def adamw_agrees(self, params, grads, **how):
        """A run that must leave the parameters of torch's AdamW; returns both."""
        left = self.of_adamw(params, grads, **how)
        expected, optimizer = torch_adamw(params, grads, **how)
        self.leaves(left, params=expected)
        return left, optimizer

    def of_adamw(self, params, grads, **how):
        """A run whose groups hold the settings and whose states a count, as torch's own do not."""
        left = self.adamw(params, grads, **how)
        for group in left.state_dict["param_groups"]:
            held = sorted(set(group) - {"initial_lr"})  # a scheduler's
            expect(held, "what a group holds").equals(sorted(["params", *ADAM_SETTINGS]))
        for entry in left.state_dict["state"].values():
            expect(entry["step"], "a parameter's step").is_a(int)
        return left

    def leaves(self, left, **expected):
        """Says what a run must have left: "params", "states" or "grads"."""
        self._expected.append((left, expected))

    def check(self):
        for left, expected in self._expected:
            for name, tensors in expected.items():
                compare(left[name], tensors, name)


@pytest.fixture
def runs(impl):
    return Runs(impl)


def fresh(method, params):
    """The state of a method before the first step."""
    return [[torch.zeros_like(p) for p in params] for _ in method.states]


def steps_of_torch(method, params, grads, states=None, *, first_step=1, **settings):
    """torch's steps from the same start: its parameters and its state."""
    if method is MUON:
        return steps_of_muon(params, grads, states, **settings)[:2]
    if method is SGD:  # torch keeps no velocity without momentum
        settings["momentum"] = settings.get("momentum") or 1e-300
    tensors = [torch.nn.Parameter(p.clone()) for p in params]
    optimizer = method.torch(tensors, foreach=True, **settings)
    for i, kept in enumerate(zip(*(states or fresh(method, params)), strict=True)):
        kept = dict(zip(method.states, [t.clone() for t in kept], strict=True))
        optimizer.state[tensors[i]] = {"step": torch.tensor(float(first_step - 1)), **kept}
    for i in range(len(grads[0])):
        for p, g in zip(tensors, grads, strict=True):
            p.grad = g[i].clone()
        optimizer.step()
    kept = [[optimizer.state[p][name] for p in tensors] for name in method.states]
    return [p.detach() for p in tensors], kept


def check_float64(runs, rng, torch_rng, method, steps=150, **more):
    """Many steps from a fresh start, and from a random state and a random first step."""
    params, grads, states = random_start(torch_rng, method, SHAPES, steps)
    grads[3] *= 100
    grads[2][1:3] = 0  # a gradient of zeros takes part like any other
    runs.agree(method, params, grads, **random_settings(rng, method) | more)
    at, grads = int(rng.integers(2, 9)), [g[: steps // 10] for g in grads]
    settings = random_settings(rng, method) | more
    runs.agree(method, params, grads, states, first_step=at, **settings)


def check_float32(runs, torch_rng, method, **settings):
    """Many steps in float32 with the usual settings, and some beside a tensor in float64."""
    shapes = [(5,), (4, 6)]
    params = random_tensors(torch_rng, shapes, dtype=torch.float32)
    grads = random_tensors(torch_rng, shapes, steps=200, dtype=torch.float32)
    grads = [0.1 * (g + g.sign()) for g in grads]  # much larger than the usual eps
    runs.move(method, params, grads, **settings)
    for at in (0, 2):
        beside, of_beside = list(params), [g[:4] for g in grads]
        beside.insert(at, params[0].double())
        of_beside.insert(at, of_beside[0].double())
        runs.move(method, beside, of_beside, **settings)


def check_in_place(runs, rng, torch_rng, method, variants=({},), shapes=((4, 3), (5,))):
    """Files show only what changed in place; here in every layout. Variants are more settings."""
    params, grads, _ = random_start(torch_rng, method, shapes, steps=3)
    for more in variants:
        settings = plain_settings(rng, method) | {"first_step": LATE} | more
        expected, kept = steps_of_torch(method, params, grads, **settings)
        same = [[g[i] for g in grads] for i in range(3)]
        for layout in ({}, {"transposed": True}, {"requires_grad": True}):
            left = runs.of(method, params, grads, **settings, **layout)
            runs.leaves(left, params=expected, states=kept, grads=same)


def check_extreme(runs, rng, torch_rng, method):
    """Zero, tiny and huge gradients in float32."""
    shapes = [(4,)] * 4
    params = random_tensors(torch_rng, shapes, dtype=torch.float32)
    grads = random_tensors(torch_rng, shapes, steps=12, dtype=torch.float32)
    # Sizes far from eps, on both sides: where eps is added is tested separately.
    for g, size in zip(grads, (0.0, 1e-14, 1.0, 1e15), strict=True):
        g.add_(g.sign()).mul_(size)
    settings = plain_settings(rng, method) | {"eps": 1e-8}
    runs.move(method, params, grads, first_step=LATE, **settings)


def check_refusals(impl, runs, rng, torch_rng, method, *refused):
    """Valid calls are carried out, even at the ends of all ranges, and bad ones change nothing.

    Good and bad calls follow each other on the same tensors, in random order. Calls with empty
    lists are among both, and for Muon bad ones with a tensor that is not a matrix.
    """
    shapes = [(3, 3), (2, 2)] if method is MUON else [(3,), (2, 2)]
    params, grads, states = start = random_start(torch_rng, method, shapes)
    at, settings = LATE + int(rng.integers(9)), plain_settings(rng, method)
    zeros = {name: (0.0, 0.0) if name == "betas" else 0.0 for name in method.settings}
    for more in (zeros, {"lr": 3.0}):
        runs.move(method, *start, first_step=at, **settings | more)
    runs.agree(method, *start, first_step=at, **settings | {"lr": 0.0})
    # What comes of large settings is tested elsewhere.
    for more in [{name: x} for name in UNLIMITED if name in settings for x in (5.0, math.inf)]:
        runs.of(method, *start, first_step=at, **settings | more)

    left = runs.of(method, *start, first_step=at, **settings)
    places, lists = left.places["params"], [left.places["grads"][0], *left.places["states"]]
    good, empty = (places, lists, settings), ([], [[] for _ in lists], settings)
    bad = [(places[:1], lists, settings)]
    for more in (*refused_settings(method), *refused):
        bad += [(*tensors, settings | more) for *tensors, _ in (good, empty)]
    for k, fitting in enumerate(lists):
        for misfit in misfits(fitting):
            bad.append((places, [*lists[:k], misfit, *lists[k + 1 :]], settings))
    for layout in NO_MATRICES if method is MUON else ():
        for fit in (1, 0):  # behind a matrix, too
            same = [[*part[:fit], (*layout, *part[fit][2:])] for part in (places, *lists)]
            bad.append((same[0], same[1:], settings))
    calls, done = [*bad, empty, empty, *[good] * 3], 1
    for i in rng.permutation(len(calls)):
        of_params, (of_grads, *of_states), more = calls[i]
        more = {"step": at + done, **more} if method.counts else more
        with pytest.raises(ValueError) if i < len(bad) else nullcontext():
            impl.scenarios.optimizer_steps(
                f"optimizers.{method.function}", left.file.path, None,
                of_params, [of_grads], of_states, **more,
            )  # fmt: skip
        done += calls[i] is good
    repeated = [g.expand(done, *g.shape[1:]) for g in grads]
    expected = steps_of_torch(method, params, repeated, states, first_step=at, **settings)
    runs.leaves(left, params=expected[0], states=expected[1], grads=[[g[0] for g in grads]])


# Shapes and strides of as many elements as a 2×2 matrix has, or fewer.
NO_MATRICES = [((4,), (1,)), ((), ()), ((1, 2, 2), (4, 2, 1))]


def misfits(places):
    """Lists of places that do not fit the parameters, of which the second has the shape (2, 2)."""
    vector, matrix = places
    yield from ([], [vector], [vector, matrix, matrix], [matrix, vector])
    yield [((), (), *vector[2:]), matrix]
    for shape, strides in [((1, 2), (2, 1)), ((4,), (1,)), ((4, 1), (1, 1))]:
        yield [vector, (shape, strides, *matrix[2:])]


def check_zero_over_zero(runs, rng, torch_rng, method):
    """Without eps, an element that has only had gradients of 0 becomes nan, and no other does."""
    params, grads, _ = random_start(torch_rng, method, [(9,)], steps=3)
    grads[0][:, torch.randperm(9, generator=torch_rng)[:4]] = 0
    runs.move(method, params, grads, **plain_settings(rng, method))


def check_nan(runs, rng, torch_rng, method):
    """What nan makes of its own element is torch's, and no other element sees it."""
    params, grads, _ = random_start(torch_rng, method, [(9,), (4,)], steps=3)
    grads[0][1, int(rng.integers(9))] = math.nan
    runs.agree(method, params, grads, **plain_settings(rng, method))


def check_eps(runs, rng, method):
    """One step of Adam or AdamW, with a large eps."""
    for _ in range(10):
        betas, eps = rng.uniform(0.1, 0.99, size=2), float(rng.uniform(0.1, 2))
        check_step(runs, rng, method, int(rng.integers(1, 9)), betas, eps)


def check_correction(runs, rng, method):
    """The bias correction at late steps, and with betas close to 1, without eps."""
    for _ in range(5):
        late = int(rng.integers(1000, 4000))
        check_step(runs, rng, method, late, (0.999, 1 - float(rng.uniform(0.5, 2)) / late))
        near = 1 - rng.uniform(0.5e-5, 2e-5, size=2)
        check_step(runs, rng, method, int(rng.integers(1, 3)), near)
    for k in (23, 30):  # at step 1 a correction of 2^-k is exact
        check_step(runs, rng, method, 1, (1 - 2.0**-k, 1 - 2.0 ** -(k + 5)))


def check_step(runs, rng, method, number, betas, eps=0.0):
    """A step of one element from random moments, without Adam's decay."""
    settings = {"lr": float(rng.uniform(0.1, 0.99)), "betas": tuple(map(float, betas)), "eps": eps}
    settings["weight_decay"] = 0.0 if method is ADAM else float(rng.uniform(0.05, 0.5))
    g, m, v = scalar(rng.normal()), scalar(rng.normal()), scalar(rng.uniform(0, 2))
    start = [scalar(1.0)], [g[None]], [[m], [v]]
    runs.move(method, *start, first_step=number, **settings)


def torch_adamw(
    params,
    grads,
    *,
    present=None,
    groups=None,
    added=(),
    lr_factors=None,
    changes=(),
    state=None,
    **settings,
):
    """Steps of torch's AdamW: its parameters, and the optimizer."""
    tensors = [torch.nn.Parameter(p.clone()) for p in params]
    parts = lambda some: [{**g, "params": [tensors[n] for n in g["params"]]} for g in some]  # noqa: E731
    optimizer = torch.optim.AdamW(parts(groups) if groups else tensors, foreach=False, **settings)
    for group in parts(added):
        optimizer.add_param_group(group)
    if state is not None:
        optimizer.load_state_dict(state)
    for i in range(len(grads[0])):
        for group in optimizer.param_groups:
            if lr_factors:
                group["lr"] = group.setdefault("initial_lr", group["lr"]) * lr_factors[i]
            if changes:
                group.update(changes[i])
        for n, (p, g) in enumerate(zip(tensors, grads, strict=True)):
            p.grad = g[i].clone() if present is None or present[i][n] else None
        optimizer.step()
    return [p.detach() for p in tensors], optimizer


# --- sgd_step ---------------------------------------------------------------


@pytest.mark.exercise("sgd_step", weight=2)
def test_sgd_float64(runs, rng, torch_rng):
    """After hundreds of float64 steps, parameters and velocities are those of torch.optim.SGD"""
    check_float64(runs, rng, torch_rng, SGD)
    start = random_start(torch_rng, SGD, [(6,)])
    lr, decay = (float(x) for x in rng.uniform(0.1, 0.9, size=2))
    runs.agree(SGD, *start, lr=lr, weight_decay=decay)  # without momentum


@pytest.mark.exercise("sgd_step")
def test_sgd_nesterov(runs, rng, torch_rng):
    """With nesterov, steps agree with torch.optim.SGD with nesterov"""
    more = {"nesterov": True, "weight_decay": 0.0}
    check_float64(runs, rng, torch_rng, SGD, steps=40, **more)
    check_float64(runs, rng, torch_rng, SGD, steps=20, momentum=1e-12, **more)


@pytest.mark.exercise("sgd_step", weight=0.5)
def test_sgd_float32(runs, torch_rng):
    """With the usual settings in float32, SGD agrees with torch.optim.SGD up to rounding"""
    check_float32(runs, torch_rng, SGD, lr=0.1, momentum=0.9, weight_decay=1e-3)


@pytest.mark.exercise("sgd_step")
def test_sgd_without_momentum(runs, rng, torch_rng):
    """By default SGD is plain gradient descent, and the velocity is the gradient"""
    start = random_start(torch_rng, SGD, [(6,), (2, 3)])
    runs.agree(SGD, *start, lr=float(rng.uniform(0.1, 1)))
    runs.agree(SGD, *start, **plain_settings(rng, SGD))  # where the old velocity counts


@pytest.mark.exercise("sgd_step")
def test_sgd_learning_rate_is_not_in_the_velocity(runs, rng, torch_rng):
    """A change of the learning rate takes effect at once, on the whole velocity"""
    momentum = float(rng.uniform(0.5, 0.9))
    params, grads, states = random_start(torch_rng, SGD, [(6,)], steps=3)
    for g in grads[0]:
        lr = float(rng.uniform(0.01, 1))
        params, states = runs.agree(SGD, params, [g[None]], states, lr=lr, momentum=momentum)


@pytest.mark.exercise("sgd_step")
def test_sgd_is_in_place(runs, rng, torch_rng):
    """Parameters and velocities change in place, and gradients do not change"""
    decays = [{"weight_decay": 4.0}, {"nesterov": True, "weight_decay": 0.1}]
    check_in_place(runs, rng, torch_rng, SGD, [{}, {"nesterov": True}, *decays])


@pytest.mark.exercise("sgd_step", weight=0.5)
def test_sgd_gradients_of_nan(runs, rng, torch_rng):
    """With SGD, a gradient of nan takes effect on its own element, and on no other"""
    check_nan(runs, rng, torch_rng, SGD)


@pytest.mark.exercise("sgd_step")
def test_sgd_refuses(impl, runs, rng, torch_rng):
    """SGD refuses invalid lists, shapes and settings before anything changes, and takes valid ones,
    also 0 and infinite"""
    check_refusals(impl, runs, rng, torch_rng, SGD, {"momentum": 0.0, "nesterov": True})


# --- adagrad_step -----------------------------------------------------------


@pytest.mark.exercise("rmsprop_step", weight=2)
def test_adagrad_float64(runs, rng, torch_rng):
    """After hundreds of float64 steps, parameters and sums are those of torch.optim.Adagrad"""
    check_float64(runs, rng, torch_rng, ADAGRAD)


@pytest.mark.exercise("rmsprop_step", weight=0.5)
def test_adagrad_float32(runs, torch_rng):
    """With the usual settings in float32, AdaGrad agrees with torch.optim.Adagrad up to rounding"""
    check_float32(runs, torch_rng, ADAGRAD, lr=1e-2, eps=1e-10)


@pytest.mark.exercise("rmsprop_step")
def test_adagrad_never_forgets(runs, rng):
    """With AdaGrad and a constant gradient, step k is proportional to 1 / √k"""
    for _ in range(5):
        grads = scalar(rng.uniform(0.5, 2)).repeat(int(rng.integers(5, 40)), 1)
        # With an eps of 0 only the sign of the gradient matters.
        runs.agree(ADAGRAD, [scalar(0.0)], [grads], lr=float(rng.uniform(0.1, 1)), eps=0.0)


@pytest.mark.exercise("rmsprop_step")
def test_adagrad_eps_is_outside_the_root(runs, rng):
    """AdaGrad adds eps outside the square root"""
    for _ in range(10):
        lr, eps, g = (float(x) for x in rng.uniform(0.1, 2, size=3))
        start = [scalar(0.0)], [scalar(g)[None]], [[scalar(rng.uniform(0, 2))]]
        runs.agree(ADAGRAD, *start, lr=lr, eps=eps)


@pytest.mark.exercise("rmsprop_step")
def test_adagrad_is_in_place(runs, rng, torch_rng):
    """Parameters and sums of any layout change in place, unrecorded by autograd, and gradients
    do not change"""
    check_in_place(runs, rng, torch_rng, ADAGRAD)


@pytest.mark.exercise("rmsprop_step", weight=0.5)
def test_adagrad_extreme_gradients(runs, rng, torch_rng):
    """Zero, tiny and huge gradients give the results of torch.optim.Adagrad, never nan"""
    check_extreme(runs, rng, torch_rng, ADAGRAD)


@pytest.mark.exercise("rmsprop_step", weight=0.5)
def test_adagrad_without_eps(runs, rng, torch_rng):
    """With an eps of 0, AdaGrad makes an element nan that has only had gradients of 0"""
    check_zero_over_zero(runs, rng, torch_rng, ADAGRAD)


@pytest.mark.exercise("rmsprop_step", weight=0.5)
def test_adagrad_gradients_of_nan(runs, rng, torch_rng):
    """With AdaGrad, a gradient of nan takes effect on its own element, and on no other"""
    check_nan(runs, rng, torch_rng, ADAGRAD)


@pytest.mark.exercise("rmsprop_step")
def test_adagrad_refuses(impl, runs, rng, torch_rng):
    """AdaGrad refuses invalid lists, shapes and settings before anything changes, and takes
    valid ones, also infinite"""
    check_refusals(impl, runs, rng, torch_rng, ADAGRAD)


# --- rmsprop_step -----------------------------------------------------------


@pytest.mark.exercise("rmsprop_step", weight=2)
def test_rmsprop_float64(runs, rng, torch_rng):
    """After hundreds of float64 steps, parameters and averages are those of torch.optim.RMSprop"""
    check_float64(runs, rng, torch_rng, RMSPROP)


@pytest.mark.exercise("rmsprop_step", weight=0.5)
def test_rmsprop_float32(runs, torch_rng):
    """With the usual settings in float32, also beside float64 tensors, RMSProp agrees with
    torch.optim.RMSprop up to rounding"""
    check_float32(runs, torch_rng, RMSPROP, lr=1e-3, alpha=0.99, eps=1e-8)


@pytest.mark.exercise("rmsprop_step")
def test_rmsprop_without_memory(runs, rng):
    """With alpha = 0, and an eps of 0, each step is lr · g / |g|, whatever the earlier steps"""
    signs = torch.tensor([1.0, -1.0], dtype=torch.float64)
    # An old average of 10 and a g² of 0.01: v + (g² − v), which is right too, still has 13 digits.
    drawn = (10 ** rng.uniform(-1, 1, (8, 3))).tolist()
    for g, old, lr in [(0.1, 10.0, 0.1), (10.0, 0.1, 10.0), *drawn]:
        start = [0 * signs], [(signs * g)[None]], [[torch.full_like(signs, old)]]
        for alpha in (0.0, float(rng.uniform(0.7, 0.95))):  # with memory, the old average counts
            runs.agree(RMSPROP, *start, lr=lr, alpha=alpha, eps=0.0)


@pytest.mark.exercise("rmsprop_step")
def test_rmsprop_average_is_not_corrected(runs, rng):
    """RMSProp adds eps outside the square root, and does not correct the average for its start at
    0"""
    for i in range(10):
        lr, eps, g = (float(x) for x in rng.uniform(0.1, 2, size=3))
        alpha = float(rng.uniform(0.5, 0.99)) if i else 0.0
        grads = scalar(g).repeat(int(rng.integers(1, 6)), 1)
        runs.agree(RMSPROP, [scalar(0.0)], [grads], lr=lr, alpha=alpha, eps=eps)


@pytest.mark.exercise("rmsprop_step")
def test_rmsprop_is_in_place(runs, rng, torch_rng):
    """Parameters and averages of any layout change in place, unrecorded by autograd, and
    gradients do not change"""
    check_in_place(runs, rng, torch_rng, RMSPROP)


@pytest.mark.exercise("rmsprop_step", weight=0.5)
def test_rmsprop_extreme_gradients(runs, rng, torch_rng):
    """Zero, tiny and huge gradients give the results of torch.optim.RMSprop, never nan"""
    check_extreme(runs, rng, torch_rng, RMSPROP)


@pytest.mark.exercise("rmsprop_step", weight=0.5)
def test_rmsprop_without_eps(runs, rng, torch_rng):
    """With an eps of 0, RMSProp makes an element nan that has only had gradients of 0"""
    check_zero_over_zero(runs, rng, torch_rng, RMSPROP)


@pytest.mark.exercise("rmsprop_step", weight=0.5)
def test_rmsprop_gradients_of_nan(runs, rng, torch_rng):
    """With RMSProp, a gradient of nan takes effect on its own element, and on no other"""
    check_nan(runs, rng, torch_rng, RMSPROP)


@pytest.mark.exercise("rmsprop_step")
def test_rmsprop_refuses(impl, runs, rng, torch_rng):
    """RMSProp refuses invalid lists, shapes and settings before anything changes, and takes
    valid ones, also infinite"""
    check_refusals(impl, runs, rng, torch_rng, RMSPROP)


# --- adam_step --------------------------------------------------------------


@pytest.mark.exercise("adamw_step", weight=2)
def test_adam_float64(runs, rng, torch_rng):
    """After hundreds of float64 steps, parameters and moments are those of torch.optim.Adam"""
    check_float64(runs, rng, torch_rng, ADAM)


@pytest.mark.exercise("adamw_step", weight=0.5)
def test_adam_float32(runs, torch_rng):
    """With the usual settings in float32, also beside float64 tensors, Adam agrees with
    torch.optim.Adam up to rounding"""
    settings = {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 1e-3}
    check_float32(runs, torch_rng, ADAM, **settings)


@pytest.mark.exercise("adamw_step")
def test_adam_without_decay_is_adamw(runs, rng, torch_rng):
    """By default Adam has no weight decay, and steps agree with torch.optim.AdamW without decay"""
    params, grads, _ = random_start(torch_rng, ADAM, [(6,), (2, 3)], steps=30)
    settings = plain_settings(rng, ADAM) | {"first_step": LATE}
    expected, kept = steps_of_torch(ADAMW, params, grads, **settings)
    del settings["weight_decay"]
    runs.leaves(runs.of(ADAM, params, grads, **settings), params=expected, states=kept)


@pytest.mark.exercise("adamw_step")
def test_adam_decay_is_in_the_gradient(runs, rng, torch_rng):
    """With Adam, a step with weight decay equals one with the gradient plus weight_decay · p"""
    start = random_start(torch_rng, ADAM, [(6,), (2, 3)])
    for decay in (float(rng.uniform(0.05, 0.5)), float(rng.uniform(1.5, 9))):
        settings = random_settings(rng, ADAM) | {"eps": 0.0, "weight_decay": decay}
        runs.agree(ADAM, *start, first_step=LATE, **settings)


@pytest.mark.exercise("adamw_step")
def test_adam_first_step(runs, rng):
    """Adam's first step is lr · g / (|g| + eps), whatever the betas: both averages are corrected"""
    betas_at_ends = [(0.0, 0.0), (0.0, 0.999), (0.999, 0.0)]
    for betas in [*betas_at_ends, *map(tuple, rng.uniform(0, 0.999, (5, 2)).tolist())]:
        g, lr, eps = (10 ** rng.uniform(-2, 2, 3)).tolist()
        grads = torch.stack([-scalar(g), scalar(rng.uniform(0.1, 9))])
        runs.agree(ADAM, [scalar(0.0)], [grads[:1]], lr=lr, betas=betas, eps=eps)
        betas = betas[0], 0.9
        runs.agree(ADAM, [scalar(0.0)], [grads], lr=lr, betas=betas, eps=eps)  # a second one, too


@pytest.mark.exercise("adamw_step")
def test_adam_eps_is_outside_the_root(runs, rng):
    """Adam adds eps outside the square root and after the bias correction"""
    check_eps(runs, rng, ADAM)


@pytest.mark.exercise("adamw_step")
def test_adam_is_in_place(runs, rng, torch_rng):
    """Adam changes parameters and moments of any layout in place, unrecorded by autograd, and no
    gradient"""
    check_in_place(runs, rng, torch_rng, ADAM, ({"eps": 0.1}, {"weight_decay": 0.4}))


@pytest.mark.exercise("adamw_step", weight=0.5)
def test_adam_extreme_gradients(runs, rng, torch_rng):
    """Zero, tiny and huge gradients give the results of torch.optim.Adam, never nan"""
    check_extreme(runs, rng, torch_rng, ADAM)


@pytest.mark.exercise("adamw_step", weight=0.5)
def test_adam_without_eps(runs, rng, torch_rng):
    """With an eps of 0, Adam makes an element nan that has only had gradients of 0"""
    check_zero_over_zero(runs, rng, torch_rng, ADAM)


@pytest.mark.exercise("adamw_step", weight=0.5)
def test_adam_correction(runs, rng):
    """Adam corrects both averages at any step and with any betas, also those close to 1"""
    check_correction(runs, rng, ADAM)


@pytest.mark.exercise("adamw_step", weight=0.5)
def test_adam_gradients_of_nan(runs, rng, torch_rng):
    """With Adam, a gradient of nan takes effect on its own element, and on no other"""
    check_nan(runs, rng, torch_rng, ADAM)


@pytest.mark.exercise("adamw_step")
def test_adam_refuses(impl, runs, rng, torch_rng):
    """Adam refuses invalid lists, shapes, steps and settings before anything changes, and takes
    valid ones, also infinite"""
    check_refusals(impl, runs, rng, torch_rng, ADAM, {"step": 0}, {"step": -1})


# --- adamw_step -------------------------------------------------------------


@pytest.mark.exercise("adamw_step", weight=2)
def test_step_float64(runs, rng, torch_rng):
    """After hundreds of float64 steps, parameters and moments are those of torch.optim.AdamW"""
    check_float64(runs, rng, torch_rng, ADAMW)


@pytest.mark.exercise("adamw_step")
def test_step_float32(runs, torch_rng):
    """With the usual settings in float32, also beside float64 tensors, steps agree with
    torch.optim.AdamW up to rounding"""
    settings = {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0.1}
    check_float32(runs, torch_rng, ADAMW, **settings)


@pytest.mark.exercise("adamw_step")
def test_eps_is_outside_the_root(runs, rng):
    """AdamW adds eps outside the square root and after the bias correction"""
    check_eps(runs, rng, ADAMW)


@pytest.mark.exercise("adamw_step")
def test_decay_is_decoupled(runs, rng, torch_rng):
    """In AdamW, weight decay multiplies p by 1 - lr · weight_decay and does not enter moments"""
    start = random_start(torch_rng, ADAMW, [(6,), (2, 3)])
    settings = random_settings(rng) | {"eps": 0.0}
    for lr, decay in ((0.05, 0.1), (2.0, float(rng.uniform(1, 9))), (1e-7, 1.0)):
        settings |= {"lr": lr, "weight_decay": decay}
        runs.agree(ADAMW, *start, first_step=LATE, **settings)


@pytest.mark.exercise("adamw_step")
def test_step_is_in_place(runs, rng, torch_rng):
    """AdamW changes parameters and moments of any layout in place, unrecorded by autograd, and no
    gradient"""
    variants = {"eps": 0.1}, {"lr": 1e-7, "weight_decay": 1.0}
    check_in_place(runs, rng, torch_rng, ADAMW, variants)


@pytest.mark.exercise("adamw_step")
def test_extreme_gradients(runs, rng, torch_rng):
    """Zero, tiny and huge gradients give the results of torch.optim.AdamW, never nan"""
    check_extreme(runs, rng, torch_rng, ADAMW)


@pytest.mark.exercise("adamw_step", weight=0.5)
def test_step_without_eps(runs, rng, torch_rng):
    """With an eps of 0, AdamW makes an element nan that has only had gradients of 0"""
    check_zero_over_zero(runs, rng, torch_rng, ADAMW)


@pytest.mark.exercise("adamw_step", weight=0.5)
def test_step_correction(runs, rng):
    """AdamW corrects both averages at any step and with any betas, also those close to 1"""
    check_correction(runs, rng, ADAMW)


@pytest.mark.exercise("adamw_step", weight=0.5)
def test_adamw_gradients_of_nan(runs, rng, torch_rng):
    """With AdamW, a gradient of nan takes effect on its own element, and on no other"""
    check_nan(runs, rng, torch_rng, ADAMW)


@pytest.mark.exercise("adamw_step")
def test_step_refuses(impl, runs, rng, torch_rng):
    """AdamW refuses invalid lists, shapes, steps and settings before anything changes, and takes
    valid ones, also infinite"""
    check_refusals(impl, runs, rng, torch_rng, ADAMW, {"step": 0}, {"step": -1})


# --- AdamW ------------------------------------------------------------------


@pytest.mark.exercise("adamw_optimizer", weight=2)
def test_optimizer_follows_torch(runs, rng, torch_rng):
    """After hundreds of steps in place, parameters are those of torch.optim.AdamW"""
    moments = lambda state: [[state["state"][n][name] for name in MOMENTS] for n in range(3)]  # noqa: E731
    for dtype, steps in [(torch.float64, 200), (torch.float32, 50)]:
        params = random_tensors(torch_rng, [(), (0, 2), (3, 5)], dtype=dtype)
        grads = random_tensors(torch_rng, [(), (0, 2), (3, 5)], steps=steps, dtype=dtype)
        left, optimizer = runs.adamw_agrees(params, grads, **random_settings(rng))
        compare(moments(left.state_dict), moments(optimizer.state_dict()), "moments")


@pytest.mark.exercise("adamw_optimizer")
def test_groups_and_defaults(runs, rng, torch_rng):
    """Each parameter group, of a list, a generator or one parameter, has its own settings, with
    the optimizer's as defaults"""
    params, grads, _ = random_start(torch_rng, ADAMW, [(3,), (2, 2), (4,), (5,)], steps=30)
    own = random_settings(rng)
    groups = [
        {"params": [2], **random_settings(rng)},
        {"params": [0, 3], "weight_decay": 0.0},
        {"params": [1], "lr": own["lr"], "betas": own["betas"], "eps": own["eps"]},
    ]
    runs.adamw_agrees(params, grads, groups=groups, **random_settings(rng))
    grads = [1e-6 * g for g in grads]  # so the default eps matters
    runs.adamw_agrees(params, grads, groups=groups)
    settings = random_settings(rng)
    runs.adamw_agrees(params, grads, groups=groups[:1], added=groups[1:], **settings)


@pytest.mark.exercise("adamw_optimizer")
def test_missing_gradients(runs, rng, torch_rng):
    """A gradient of None skips the parameter: no decay, no state, no step counted"""
    params, grads, _ = random_start(torch_rng, ADAM, [(3,), (2, 2), (4,)], steps=25)
    present = [[False, bool(rng.random() < 0.5), True] for _ in range(25)]
    present[0][1], present[1][1] = False, True
    groups = [{"params": [0], "weight_decay": 0.3}, {"params": [1, 2]}]
    how = {"present": present, "groups": groups, **plain_settings(rng, ADAM)}
    left, optimizer = runs.adamw_agrees(params, grads, **how)
    state = left.state_dict["state"]
    expect(sorted(state), "parameters with a state").equals(sorted(optimizer.state_dict()["state"]))


@pytest.mark.exercise("adamw_optimizer")
def test_zero_gradients(runs, rng, torch_rng):
    """With a gradient of zeros the parameter still decays and its moments fade"""
    params, grads, _ = random_start(torch_rng, ADAMW, [(3,), (4,)], steps=12)
    grads[0][4:] = 0
    grads[1][:] = 0
    runs.adamw_agrees(params, grads, **random_settings(rng))


@pytest.mark.exercise("adamw_optimizer")
def test_learning_rate_changes(runs, rng, torch_rng):
    """A scheduler's changes to the learning rate take effect, in each group"""
    params, grads, _ = random_start(torch_rng, ADAM, [(3,), (2, 2)], steps=20)
    groups, factors = [{"params": [0], "lr": 0.1}, {"params": [1]}], rng.uniform(0, 2, size=20)
    how = {"groups": groups, "lr_factors": factors.tolist(), **plain_settings(rng, ADAM)}
    runs.adamw_agrees(params, grads, **how)


@pytest.mark.exercise("adamw_optimizer", weight=0.5)
def test_settings_change(runs, rng, torch_rng):
    """Changes to any setting between steps take effect"""
    params, grads, _ = random_start(torch_rng, ADAMW, [(3,), (2, 2)], steps=12)
    runs.adamw_agrees(params, grads, changes=[random_settings(rng) for _ in range(12)])


@pytest.mark.exercise("adamw_optimizer", weight=2)
def test_state_survives_saving(impl, runs, rng, torch_rng):
    """Loading the state into a fresh optimizer, in another process, does not change a run"""
    params, grads, _ = random_start(torch_rng, ADAM, [(3,), (2, 2), ()], steps=20)
    present = [[True, i % 3 > 0, i > 12] for i in range(20)]
    groups = [{"params": [1], **plain_settings(rng, ADAM)}, {"params": [0, 2]}]
    how = {"groups": groups, **plain_settings(rng, ADAM)}
    expected, _ = torch_adamw(params, grads, present=present, **how)
    bare = [{"params": group["params"]} for group in groups]
    for at in (1, int(rng.integers(2, 19))):
        before, after = [g[:at] for g in grads], [g[at:] for g in grads]
        left = runs.of_adamw(params, before, present=present[:at], **how)
        impl.restart()
        more = {"present": present[at:], "groups": bare, "state": left.state_dict}
        runs.of_adamw(params, after, continue_from=left, **more)
        runs.leaves(left, params=expected)


@pytest.mark.exercise("adamw_optimizer")
def test_state_is_exchanged_with_torch(runs, rng, torch_rng):
    """Its state_dict can be loaded by torch.optim.AdamW, and vice versa"""
    params, grads, _ = random_start(torch_rng, ADAM, [(3,), (2, 2)], steps=16)
    first, rest = [g[:9] for g in grads], [g[9:] for g in grads]
    settings = plain_settings(rng, ADAM)
    expected, _ = torch_adamw(params, grads, **settings)

    half_way, theirs = torch_adamw(params, first, **settings)
    onward = runs.adamw(half_way, rest, state=theirs.state_dict())
    ours = runs.adamw(params, first, **settings)
    for left, steps in ((onward, 16), (ours, 9)):
        for entry in left.state_dict["state"].values():
            expect(entry["step"], "step").equals(steps)
    state = torch_adamw(params, first)[1].state_dict() | {"state": ours.state_dict["state"]}
    groups = zip(state["param_groups"], ours.state_dict["param_groups"], strict=True)
    state["param_groups"] = [{**theirs, **mine} for theirs, mine in groups]
    compare(torch_adamw(ours["params"], rest, state=state)[0], expected, "torch's params")
    # torch keeps the step in a float32 tensor, so 1 - β2ᵗ may be rounded to float32.
    expect(onward["params"], "params").close(expected, rtol=1e-5, atol=1e-5)


@pytest.mark.exercise("adamw_optimizer")
def test_closure(impl, runs, rng, torch_rng):
    """step(closure) calls the closure once before each step, uses its gradient, returns its loss"""
    (weight,), grads, _ = random_start(torch_rng, ADAM, [(4,)], steps=5)
    settings, losses = plain_settings(rng, ADAM), []
    expected = torch.nn.Parameter(weight.clone())
    optimizer = torch.optim.AdamW([expected], foreach=False, **settings)

    def coefficients(found):
        """The gradient of the next step, once the weight is that after all steps before."""
        if losses:
            optimizer.step()
        compare(found, expected.detach(), "the weight in the closure")
        (expected.grad,) = random_tensors(torch_rng, [(4,)])
        losses.append((expected.detach() * expected.grad).sum().item())
        return expected.grad.clone()

    result = impl.scenarios.adamw_closure(weight, coefficients, steps=10, **settings)
    expect(len(losses), "calls of the closure").equals(10)
    optimizer.step()
    compare(result["weight"], expected.detach(), "the weight")
    expect(result["losses"], "what the steps returned").close(losses, rtol=1e-10, atol=1e-10)
    expect(result["without"], "the result without a closure").equals(None)
    runs.adamw_agrees([weight], grads, **settings)  # without closures


@pytest.mark.exercise("adamw_optimizer", weight=0.5)
def test_optimizer_refuses(runs, rng, torch_rng):
    """Bad settings, also of one group and of a group added later, are refused at once and
    nothing is added; valid ones are taken"""
    params, grads, _ = random_start(torch_rng, ADAMW, [(3,), (2,)], steps=2)
    bad, some = list(refused_settings(ADAMW)), plain_settings(rng, ADAM)
    good = [{"lr": 0.0, "betas": (0.0, 0.0), "eps": 0.0, "weight_decay": 0.0}, some]
    cases = []
    for one in [*bad, {"lr": 2.0, "eps": math.inf}, *good]:
        first, other = {"params": [0]}, {"params": [1], **one}
        ways = [one, *({"groups": groups} for groups in ([first, other], [other, first]))]
        ways.append({"groups": [first], "added": [other]})
        # Defaults count even if every group has settings of its own.
        ways.append({**one, "groups": [{"params": [0, 1], **some}]})
        cases += [(one in bad, how) for how in ways]
    for i in rng.permutation(len(cases)):
        is_bad, how = cases[i]
        if is_bad:
            with pytest.raises(ValueError):  # before the first step
                runs.adamw(params, [g[:0] for g in grads], **how)
        else:
            runs.adamw_agrees(params, grads, **how)
    only = {"groups": [{"params": [0], **some}]}
    later = [{"params": [1], **one} for one in bad] + [{"params": [0], **some}]  # of another group
    left = runs.of_adamw(params, grads, refused=later, **only)
    runs.leaves(left, params=torch_adamw(params, grads, **only)[0])


# --- muon_step --------------------------------------------------------------


def steps_of_muon(params, grads, states=None, **settings):
    """Steps by singular values: parameters and buffers; and torch's parameters, which are rough."""
    params, tensors = [p.clone() for p in params], [torch.nn.Parameter(p.clone()) for p in params]
    settings = {name: settings[name] for name in MUON_SETTINGS}
    optimizer, (lr, momentum, decay) = torch.optim.Muon(tensors, **settings), settings.values()
    for p, b in zip(tensors, (states or fresh(MUON, params))[0], strict=True):
        optimizer.state[p] = {"momentum_buffer": b.clone()}
    buffers = [optimizer.state[p]["momentum_buffer"] for p in tensors]
    for i in range(len(grads[0])):
        for p, g in zip(tensors, grads, strict=True):
            p.grad = g[i].clone()
        optimizer.step()
        for p, g, b in zip(params, grads, buffers, strict=True):
            rows, columns = p.shape
            move = math.sqrt(max(rows, columns) / columns) * orthogonalized(g[i].lerp(b, momentum))
            p.sub_(lr * (decay * p + move))
    return params, [buffers], [p.detach() for p in tensors]


def orthogonalized(u):
    """Each singular value goes five times through the polynomial of the iteration."""
    left, sizes, right = torch.linalg.svd(u.double(), full_matrices=False)
    sizes = sizes / max(math.sqrt(sizes.square().sum()), 1e-7)
    for _ in range(5):
        sizes = 3.4445 * sizes - 4.7750 * sizes**3 + 2.0315 * sizes**5
    return (left * sizes @ right).to(u.dtype)


def of_like_sizes(torch_rng, shape):
    """A matrix whose singular values, 2.5 to 1250, differ by at most 5 times."""
    drawn = torch.randn(shape, generator=torch_rng, dtype=torch.float64)
    left, sizes, right = torch.linalg.svd(drawn, full_matrices=False)
    sizes = 0.25 + torch.rand(sizes.shape, generator=torch_rng, dtype=torch.float64)
    return left * (sizes * 10 ** (1 + 2 * torch.rand(1, generator=torch_rng))) @ right


def muon_settings(rng, **more):
    """Settings without decay; in the first step u is a multiple of g, whatever the momentum."""
    return random_settings(rng, MUON) | {"weight_decay": 0.0} | more


def as_first(grads):
    return [g[None] for g in grads]


@pytest.mark.exercise("muon_step", weight=2)
def test_muon_orthogonalizes(runs, rng, torch_rng):
    """Each singular value of a square update goes five times through the polynomial, in the
    parameter's dtype"""
    shapes = [(n, n) for n in (1, 2, 5, 9)]
    params = random_tensors(torch_rng, shapes)
    grads = [of_like_sizes(torch_rng, shape) for shape in shapes]
    for wide in (range(4), (), (1, 2)):  # the parameters in float64
        dtypes = [torch.float64 if i in wide else torch.float32 for i in range(4)]
        start = [
            [t.to(dtype) for t, dtype in zip(ts, dtypes, strict=True)] for ts in (params, grads)
        ]
        settings = muon_settings(rng)
        runs.move(MUON, start[0], as_first(start[1]), **settings)
        exact, _, rough = steps_of_muon(start[0], as_first(start[1]), **settings)
        expect(rough, "torch's parameters").close(exact, rtol=0, atol=0.2 * settings["lr"])


@pytest.mark.exercise("muon_step")
def test_muon_shapes(runs, rng, torch_rng):
    """A tall matrix steps √(rows / columns) times as far, a wide one does not; both of any length,
    by the smaller Gram matrix"""
    for few, many in [(1, 2), (1, 7), (4, 5), (2, 20_000), rng.integers((2, 9), (9, 30)).tolist()]:
        shapes = [(few, many), (many, few)]  # the larger Gram matrix of 20,000 would be 3.2 GB
        grads = as_first(of_like_sizes(torch_rng, shape) for shape in shapes)
        runs.move(MUON, random_tensors(torch_rng, shapes), grads, **muon_settings(rng))


@pytest.mark.exercise("muon_step", weight=1.5)
def test_muon_momentum(runs, rng, torch_rng):
    """Buffers average the gradients, and u looks ahead; parameters and buffers of any layout change
    in place, unrecorded by autograd, and gradients do not change"""
    shapes = [(4, 4), (1, 1), (7, 7)]
    params, grads, states = random_start(torch_rng, MUON, shapes, steps=6)
    for start in (fresh(MUON, params), states):
        for momentum in (0.0, float(rng.uniform(0.3, 0.7)), float(rng.uniform(0.9, 0.99))):
            runs.agree(MUON, params, grads, start, **muon_settings(rng, momentum=momentum))
    check_in_place(runs, rng, torch_rng, MUON, shapes=shapes)


@pytest.mark.exercise("muon_step")
def test_muon_decay(runs, rng, torch_rng):
    """Weight decay multiplies p by 1 - lr · weight_decay in any shape, and never enters b or u"""
    shapes = [(3, 3), (6, 6)]
    params, grads = random_tensors(torch_rng, shapes), random_tensors(torch_rng, shapes, steps=3)
    for lr, decay in ((0.05, 0.4), (2.0, float(rng.uniform(1, 9))), (1e-7, 1.0)):
        settings = muon_settings(rng, lr=lr, weight_decay=decay)
        runs.agree(MUON, params, [100 * g for g in grads], **settings)
    # In parameters so large, nothing but the decay can be seen.
    shapes = [(8, 2), (2, 8), (5, 3)]
    params, grads, _ = random_start(torch_rng, MUON, shapes)
    large = [1e13 * (p + p.sign()) for p in params]
    runs.move(MUON, large, grads, **random_settings(rng, MUON))


@pytest.mark.exercise("muon_step", weight=0.5)
def test_muon_small_updates(runs, rng, torch_rng):
    """An update of zeros moves nothing, and one whose norm is below 1e-7 is divided by 1e-7"""
    for dtype in (torch.float64, torch.float32):
        params = random_tensors(torch_rng, [(3, 3)] * 6, dtype=dtype)
        grads = [of_like_sizes(torch_rng, p.shape).to(dtype) for p in params]
        sizes = [0.0, *(10 ** rng.uniform(-10, -7.5, size=5)).tolist()]
        grads = [size * g / g.norm() for size, g in zip(sizes, grads, strict=True)]
        runs.move(MUON, params, as_first(grads), **muon_settings(rng))


@pytest.mark.exercise("muon_step", weight=0.5)
def test_muon_refuses(impl, runs, rng, torch_rng):
    """Muon refuses invalid lists, shapes and settings, and tensors that are no matrices, before
    anything changes, and takes valid ones, also 0 and infinite"""
    check_refusals(impl, runs, rng, torch_rng, MUON)


@pytest.mark.exercise("muon_step", weight=2)
def test_muon_flops(later, rng):
    """The iterations take the FLOPs that torch counts in its own, for matrices of any shape and any
    number of steps"""
    for steps in range(12):
        m, n = rng.integers(1, 50, size=2).tolist()
        for shape in [(m, n), (n, m), (m, m)]:
            p = torch.nn.Parameter(torch.zeros(shape))
            p.grad = torch.ones(shape)
            optimizer = torch.optim.Muon([p], ns_steps=steps)
            with FlopCounterMode(display=False) as counter:
                optimizer.step()
            more = () if steps == 5 else (steps,)
            later.optimizers.muon_flops(*shape, *more).equals(counter.get_total_flops())
    n = int(rng.integers(2**30, 2**40)) | 1
    later.optimizers.muon_flops(n, n, 7).equals(42 * n**3)
