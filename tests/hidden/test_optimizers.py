"""Steps of optimizers, compared with those of torch.optim.

Gradients are given, not computed from the parameters, so rounding errors hardly grow. In float64 a
few hundred steps in another order of operations stay within 1e-10; in float32, where each operation
rounds by 6e-8, within 1e-5 of the largest value plus 1e-6 of all the steps taken.
"""

import math
from dataclasses import dataclass

import pytest
import torch

from assignment.calls.layouts import rearranged
from assignment.expect import expect
from assignment.material.tensor_files import OptimizerRuns

SHAPES = [(), (0, 3), (3, 5), (2, 3, 4), (1023,)]
REFUSED = [
    {"lr": -1e-3},
    {"eps": -1e-8},
    {"weight_decay": -0.1},
    {"betas": (1.0, 0.99)},
    {"betas": (0.9, 1.0)},
    {"betas": (-0.1, 0.99)},
    {"betas": (0.9, -0.1)},
    {"lr": math.nan},
    {"eps": math.nan},
    {"weight_decay": math.nan},
    {"betas": (math.nan, 0.99)},
    {"betas": (0.9, math.nan)},
]
RANGES = {"lr": (0.01, 0.05), "eps": (0.05, 0.5), "weight_decay": (0.05, 0.5)}
RANGES |= {"momentum": (0.7, 0.95), "alpha": (0.7, 0.95)}
LATE = 10**6  # the number of a step at which 1 - beta**step is 1


# Settings that may be infinite, by function.
UNLIMITED = {
    "sgd_step": ["lr", "weight_decay"],
    "adagrad_step": ["lr", "eps"],
    "rmsprop_step": ["lr", "eps"],
    "adam_step": ["lr", "eps"],
    "adamw_step": ["eps", "weight_decay"],
}


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


def random_settings(rng, names=ADAM_SETTINGS):
    """Settings in which every term matters: eps is as large as the gradients, averages are
    short."""
    return {
        name: (float(rng.uniform(0.7, 0.95)), float(rng.uniform(0.9, 0.995)))
        if name == "betas"
        else float(rng.uniform(*RANGES[name]))
        for name in names
    }


def plain_settings(rng, method):
    """Settings without decay and eps, and with two betas that are the same.

    At `LATE` steps there is no bias correction either. So a mistake in one of these terms costs few
    checks but those of that term. Only AdamW has its decay, which makes it another method.
    """
    settings = random_settings(rng, method.settings)
    beta = float(rng.uniform(0.7, 0.95))
    plain = {"betas": (beta, beta), "eps": 0.0}
    plain |= {} if method is ADAMW else {"weight_decay": 0.0}
    return {name: plain.get(name, value) for name, value in settings.items()}


def random_tensors(torch_rng, shapes, *, steps=None, dtype=torch.float64):
    lead = () if steps is None else (steps,)
    drawn = [torch.randn((*lead, *shape), generator=torch_rng, dtype=dtype) for shape in shapes]
    return [rearranged(t, torch_rng) for t in drawn]


def zeros(tensors):
    return [torch.zeros_like(t) for t in tensors]


def fresh(method, params):
    """The state of a method before the first step."""
    return [zeros(params) for _ in method.states]


def scalar(x):
    return torch.tensor([x], dtype=torch.float64)


@pytest.fixture
def runs(impl):
    return OptimizerRuns(impl)


def steps_of(runs, method, params, grads, states=None, *, first_step=1, **settings):
    """Steps of the implementation."""
    return runs.steps(
        f"optimizers.{method.function}",
        params,
        grads,
        fresh(method, params) if states is None else states,
        first_step=first_step if method.counts else None,
        **settings,
    )


def steps_of_torch(method, params, grads, states=None, *, first_step=1, **settings):
    """torch's steps from the same start: its parameters and its state.

    The steps are elementwise, so all tensors are joined into one vector here, which is faster.
    """

    def joined(tensors, lead=()):
        return torch.cat([t.reshape(*lead, -1) for t in tensors], dim=-1)

    def parted(vector):
        parts = vector.detach().split([p.numel() for p in params])
        return [part.view(p.shape) for part, p in zip(parts, params, strict=True)]

    states = fresh(method, params) if states is None else states
    vector = torch.nn.Parameter(joined(params))
    optimizer = method.torch([vector], foreach=False, **settings)
    kept = {name: joined(ts) for name, ts in zip(method.states, states, strict=True)}
    optimizer.state[vector] = {"step": torch.tensor(float(first_step - 1)), **kept}
    for g in joined(grads, (len(grads[0]),)):
        vector.grad = g
        optimizer.step()
    kept = [parted(optimizer.state[vector][name]) for name in method.states]
    return parted(vector), kept


def close64(found, expected, what):
    expect(found, what).close(expected, rtol=1e-10, atol=1e-10)


def check_float64(runs, rng, torch_rng, method, steps=150, **more):
    """Many steps from a random start: random state, and a random first step."""
    params, grads = (
        random_tensors(torch_rng, SHAPES),
        random_tensors(torch_rng, SHAPES, steps=steps),
    )
    done = []
    grads[3] *= 100
    grads[2][1:3] = 0  # a gradient of zeros takes part like any other
    for start in ("zeros", "random"):
        states, first_step = fresh(method, params), 1
        if start == "random":
            grads = [g[: steps // 10] for g in grads]
            states = [[t.abs() for t in random_tensors(torch_rng, SHAPES)] for _ in states]
            first_step = int(rng.integers(2, 9))
        settings = {**random_settings(rng, method.settings), **more}
        arguments = (method, params, grads, states)
        expected = steps_of_torch(*arguments, first_step=first_step, **settings)
        done.append((steps_of(runs, *arguments, first_step=first_step, **settings), *expected))
    for result, expected, kept in done:
        close64(result["params"], expected, "params")
        close64(result["states"], kept, "states")


def check_float32(runs, torch_rng, method, **settings):
    """Many steps in float32 with the usual settings, and some beside a tensor in float64."""
    shapes = [(5,), (4, 6)]
    params = random_tensors(torch_rng, shapes, dtype=torch.float32)
    grads = random_tensors(torch_rng, shapes, steps=200, dtype=torch.float32)
    grads = [0.1 * (g + g.sign()) for g in grads]  # much larger than the usual eps
    expected, _ = steps_of_torch(method, params, grads, **settings)
    result = steps_of(runs, method, params, grads, **settings)
    some = [g[:4] for g in grads]
    wide, mixed = params[0].double(), []
    for at in (0, 2):
        beside, of_beside = list(params), list(some)
        beside.insert(at, wide)
        of_beside.insert(at, some[0].double())
        mixed.append((at, steps_of(runs, method, beside, of_beside, **settings)))
    expect(result["params"], "params").close(expected, rtol=1e-5, atol=1e-5)
    narrow, _ = steps_of_torch(method, params, some, **settings)
    (wide,), _ = steps_of_torch(method, [wide], [some[0].double()], **settings)
    for at, left in mixed:
        found = list(left["params"])
        close64(found.pop(at), wide, "the parameter in float64")
        expect(found, "the parameters in float32").close(narrow, rtol=1e-5, atol=1e-5)


def check_in_place(runs, rng, torch_rng, method, variants=({},)):
    """Files show only what changed in place; here in every layout. Variants are more settings."""
    params = random_tensors(torch_rng, [(4, 3), (5,)])
    grads = random_tensors(torch_rng, [(4, 3), (5,)], steps=3)
    layouts, done = [{}, {"transposed": True}, {"requires_grad": True}], []
    for more in variants:
        settings = {**plain_settings(rng, method), "first_step": LATE, **more}
        expected = steps_of_torch(method, params, grads, **settings)
        for how in layouts:
            left = steps_of(runs, method, params, grads, **settings, **how)
            done.append((left, *expected))
    for left, expected, kept in done:
        close64(left["params"], expected, "params")
        close64(left["states"], kept, "states")
        expect(left["grads"], "grads").equals([[g[i] for g in grads] for i in range(3)])


def check_extreme(runs, rng, torch_rng, method):
    """Zero, tiny and huge gradients in float32."""
    shapes = [(4,)] * 4
    params = random_tensors(torch_rng, shapes, dtype=torch.float32)
    grads = random_tensors(torch_rng, shapes, steps=12, dtype=torch.float32)
    # Sizes far from eps, on both sides: where eps is added is tested separately.
    for g, size in zip(grads, (0.0, 1e-14, 1.0, 1e15), strict=True):
        g.add_(g.sign()).mul_(size)
    settings = {**plain_settings(rng, method), "eps": 1e-8, "first_step": LATE}
    expected, _ = steps_of_torch(method, params, grads, **settings)
    result = steps_of(runs, method, params, grads, **settings)
    expect(result["params"], "params").close(expected, rtol=1e-5, atol=1e-5)


def check_refusals(impl, runs, rng, torch_rng, method, refused):
    """Valid calls are carried out, even at the ends of all ranges, and bad ones change nothing.

    Good and bad calls follow each other on the same tensors, in random order. Calls with empty
    lists are among both.
    """
    shapes = [(3,), (2, 2)]
    params, grads = random_tensors(torch_rng, shapes), random_tensors(torch_rng, shapes)
    states = [[t.abs() for t in random_tensors(torch_rng, shapes)] for _ in method.states]
    start = method, params, [g[None] for g in grads], states
    at, settings = LATE + int(rng.integers(9)), plain_settings(rng, method)
    at_zero = dict.fromkeys(method.settings, 0.0)
    at_zero |= {"betas": (0.0, 0.0)} if "betas" in at_zero else {}
    left_at_zero = steps_of(runs, *start, first_step=at, **at_zero)
    large = {**settings, "lr": 3.0}
    left_large = steps_of(runs, *start, first_step=at, **large)
    # No setting but a beta or the like has an upper end; what comes of these is tested elsewhere.
    beyond = [(name, math.inf) for name in UNLIMITED[method.function]]
    for name, value in [*beyond, ("weight_decay", 4.0), ("eps", 5.0)]:
        if name in settings:
            steps_of(runs, *start, first_step=at, **{**settings, name: value})
    still = {**settings, "lr": 0.0}
    left_still = steps_of(runs, *start, first_step=at, **still)
    left = steps_of(runs, *start, first_step=at, **settings)
    lists = [left.places["grads"][0], *left.places["states"]]
    bad = [(left.places["params"], lists, {**settings, **more}) for more in refused]
    bad.append((left.places["params"][:1], lists, settings))
    bad += [([], [[] for _ in lists], {**settings, **more}) for more in refused]
    empty = [([], [[] for _ in lists], settings)] * 2
    for k in range(len(lists)):
        bad += [
            (left.places["params"], [*lists[:k], changed, *lists[k + 1 :]], settings)
            for changed in misfits(lists[k])
        ]
    calls = [*bad, *empty, *[None] * 3]
    done = 1
    for i in rng.permutation(len(calls)):
        if calls[i] is None:  # a good one
            places, (of_grads, *of_states), more = left.places["params"], lists, settings
            done += 1
        else:
            places, (of_grads, *of_states), more = calls[i]
        more = {"step": at + done - 1, **more} if method.counts else more
        call = f"optimizers.{method.function}", left.file.path, None, places, [of_grads], of_states
        if calls[i] is None or calls[i] in empty:
            impl.scenarios.optimizer_steps(*call, **more)
        else:
            with pytest.raises(ValueError):
                impl.scenarios.optimizer_steps(*call, **more)
    expected, _ = steps_of_torch(*start, first_step=at, **at_zero)
    close64(left_at_zero["params"], expected, "params")
    expected, _ = steps_of_torch(*start, first_step=at, **large)
    close64(left_large["params"], expected, "params")
    expected, kept = steps_of_torch(*start, first_step=at, **still)
    close64(left_still["params"], expected, "params")
    close64(left_still["states"], kept, "states after a step of 0")
    repeated = [g.expand(done, *g.shape) for g in grads]
    expected, kept = steps_of_torch(method, params, repeated, states, first_step=at, **settings)
    close64(left["params"], expected, "params")
    close64(left["states"], kept, "states")
    expect(left["grads"], "grads").equals([grads])


def misfits(places):
    """Lists of places that do not fit the parameters of the shapes (3,) and (2, 2)."""
    (_, _, first, _), (_, _, second, _) = places
    vector, matrix = places
    yield [vector]
    yield []
    yield [vector, matrix, matrix]
    yield [matrix, vector]
    yield [vector, ((1, 2), (2, 1), second, False)]
    yield [vector, ((4,), (1,), second, False)]
    yield [vector, ((4, 1), (1, 1), second, False)]
    yield [((), (), first, False), matrix]


def check_zero_over_zero(runs, rng, torch_rng, method):
    """Without eps, an element that has only had gradients of 0 becomes nan, and no other does."""
    params = random_tensors(torch_rng, [(9,)])
    grads = random_tensors(torch_rng, [(9,)], steps=3)
    never = torch.randperm(9, generator=torch_rng)[:4]
    grads[0][:, never] = 0
    settings = {**plain_settings(rng, method), "first_step": LATE}
    (expected,), _ = steps_of_torch(method, params, grads, **settings)
    found = steps_of(runs, method, params, grads, **settings)["params"][0]
    are_nan = found.isnan().nonzero().flatten()
    expect(are_nan, "elements that are nan").equals(never.sort().values)
    close64(found.nan_to_num(0.0), expected.nan_to_num(0.0), "the parameter")


def check_nan(runs, rng, torch_rng, method):
    """What nan makes of its own element is torch's, and no other element sees it."""
    params = random_tensors(torch_rng, [(9,), (4,)])
    grads = random_tensors(torch_rng, [(9,), (4,)], steps=3)
    grads[0][1, int(rng.integers(9))] = math.nan
    settings = {**plain_settings(rng, method), "first_step": LATE}
    expected, kept = steps_of_torch(method, params, grads, **settings)
    found = steps_of(runs, method, params, grads, **settings)
    for tensors, wanted, what in (
        (found["params"], expected, "params"),
        *[(mine, theirs, "states") for mine, theirs in zip(found["states"], kept, strict=True)],
    ):
        for tensor, like in zip(tensors, wanted, strict=True):
            expect(tensor.isnan().tolist(), f"{what} that are nan").equals(like.isnan().tolist())
            close64(tensor.nan_to_num(0.0), like.nan_to_num(0.0), what)


def check_eps(runs, rng, method):
    """One step of Adam or AdamW, with a large eps."""
    draws = []
    for _ in range(10):
        betas = tuple(float(x) for x in rng.uniform(0.1, 0.99, size=2))
        draws.append((int(rng.integers(1, 9)), betas, float(rng.uniform(0.1, 2))))
    check_by_hand(runs, rng, method, draws)


def check_correction(runs, rng, method):
    """The bias correction at late steps, and with betas close to 1, without eps."""
    draws = []
    for _ in range(5):
        late = int(rng.integers(1000, 4000))
        draws.append((late, (0.999, 1 - float(rng.uniform(0.5, 2)) / late), 0.0))
        near = tuple(1 - float(x) for x in rng.uniform(0.5e-5, 2e-5, size=2))
        draws.append((int(rng.integers(1, 3)), near, 0.0))
    # At step 1 a correction of 2^-k is exact.
    draws += [(1, (1 - 2.0**-k, 1 - 2.0 ** -(k + 5)), 0.0) for k in (23, 30)]
    check_by_hand(runs, rng, method, draws)


def check_by_hand(runs, rng, method, draws):
    """Steps of Adam without decay, or AdamW; each draw is the step's number, betas and eps."""
    moves = []
    for t, (beta1, beta2), eps in draws:
        lr, g = float(rng.uniform(0.1, 0.99)), float(rng.normal())
        m, v = float(rng.normal()), float(rng.uniform(0, 2))
        new_m, new_v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
        decay = 0.0 if method is ADAM else float(rng.uniform(*RANGES["weight_decay"]))
        moved = lr * (new_m / (1 - beta1**t)) / (math.sqrt(new_v / (1 - beta2**t)) + eps)
        result = steps_of(
            runs,
            method,
            [scalar(1.0)],
            [scalar(g)[None]],
            [[scalar(m)], [scalar(v)]],
            first_step=t,
            lr=lr,
            betas=(beta1, beta2),
            eps=eps,
            weight_decay=decay,
        )
        moves.append((result, 1 - lr * decay - moved))
    for result, left in moves:
        # Nearly opposite m and g leave only their rounding, about 1e-13.
        expect(result["params"][0], "the parameter").close(scalar(left), rtol=1e-10, atol=1e-12)


def torch_adamw(
    params,
    grads,
    *,
    present=None,
    groups=None,
    added=(),
    lrs=None,
    changes=(),
    state=None,
    **settings,
):
    """Steps of torch's AdamW: its parameters, and the optimizer."""
    tensors = [torch.nn.Parameter(p.clone()) for p in params]
    grouped = tensors
    if groups is not None:
        grouped = [{**group, "params": [tensors[n] for n in group["params"]]} for group in groups]
    optimizer = torch.optim.AdamW(grouped, foreach=False, **settings)
    for group in added:
        optimizer.add_param_group({**group, "params": [tensors[n] for n in group["params"]]})
    if state is not None:
        optimizer.load_state_dict(state)
    for i in range(len(grads[0])):
        for group in optimizer.param_groups if lrs else ():
            group["lr"] = group.setdefault("initial_lr", group["lr"]) * lrs[i]
        for group in optimizer.param_groups if changes else ():
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
    params, grads = random_tensors(torch_rng, [(6,)]), random_tensors(torch_rng, [(6,)], steps=1)
    lr, decay = (float(x) for x in rng.uniform(0.1, 0.9, size=2))  # and once without momentum
    result = steps_of(runs, SGD, params, grads, lr=lr, weight_decay=decay)
    pulled = grads[0][0] + decay * params[0]
    close64(result["params"], [params[0] - lr * pulled], "params")
    close64(result["states"], [[pulled]], "velocities")


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
    params, old, grads = (random_tensors(torch_rng, [(6,), (2, 3)]) for _ in range(3))
    lr = float(rng.uniform(0.1, 1))
    result = steps_of(runs, SGD, params, [g[None] for g in grads], [old], lr=lr)
    moved = [p - lr * g for p, g in zip(params, grads, strict=True)]
    done = [(result, moved, [grads])]
    settings = plain_settings(rng, SGD)  # where the old velocity counts
    arguments = (SGD, params, [g[None] for g in grads], [old])
    done.append((steps_of(runs, *arguments, **settings), *steps_of_torch(*arguments, **settings)))
    for result, moved, velocities in done:
        close64(result["params"], moved, "params")
        close64(result["states"], velocities, "velocities")


@pytest.mark.exercise("sgd_step")
def test_sgd_learning_rate_is_not_in_the_velocity(impl, runs, rng, torch_rng):
    """A change of the learning rate takes effect at once, on the whole velocity"""
    params, grads = random_tensors(torch_rng, [(6,)]), random_tensors(torch_rng, [(6,)], steps=8)
    momentum, moved = float(rng.uniform(0.5, 0.9)), params[0].clone()
    left = steps_of(runs, SGD, params, [g[7:] for g in grads], lr=0.5)
    velocity = grads[0][7]
    moved -= 0.5 * velocity
    call = "optimizers.sgd_step", left.file.path, None, left.places["params"]
    for g, step in zip(grads[0][7:], left.places["grads"], strict=True):
        lr = float(rng.uniform(0.01, 1))
        velocity = momentum * velocity + g
        moved = moved - lr * velocity
        impl.scenarios.optimizer_steps(
            *call, [step], left.places["states"], lr=lr, momentum=momentum
        )
    close64(left["params"], [moved], "params")
    close64(left["states"], [[velocity]], "velocities")


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
    refused = [{"lr": -1e-3}, {"weight_decay": -0.1}, {"momentum": -0.1}, {"momentum": 1.0}]
    refused.append({"momentum": 0.0, "nesterov": True})
    refused += [{name: math.nan} for name in ("lr", "weight_decay", "momentum")]
    check_refusals(impl, runs, rng, torch_rng, SGD, refused)


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
    expected = []
    for _ in range(5):
        g, lr = float(rng.uniform(0.5, 2)), float(rng.uniform(0.1, 1))
        count = int(rng.integers(5, 40))
        result = steps_of(
            runs, ADAGRAD, [scalar(0.0)], [scalar(g).repeat(count, 1)], lr=lr, eps=0.0
        )
        # With an eps of 0 only the sign of g matters: step k is lr / √k.
        far = -lr * math.fsum(1 / math.sqrt(k) for k in range(1, count + 1))
        expected.append((result, far, count * g * g))
    for result, far, total in expected:
        close64(result["params"][0], scalar(far), "the parameter")
        close64(result["states"][0][0], scalar(total), "the sum")


@pytest.mark.exercise("rmsprop_step")
def test_adagrad_eps_is_outside_the_root(runs, rng):
    """AdaGrad adds eps outside the square root"""
    expected = []
    for _ in range(10):
        lr, eps, g = (float(x) for x in rng.uniform(0.1, 2, size=3))
        s = float(rng.uniform(0, 2))
        moved = lr * g / (math.sqrt(s + g * g) + eps)
        result = steps_of(
            runs, ADAGRAD, [scalar(0.0)], [scalar(g)[None]], [[scalar(s)]], lr=lr, eps=eps
        )
        expected.append((result, moved))
    for result, moved in expected:
        expect(result["params"][0], "the parameter").close(scalar(-moved), rtol=1e-10)


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
    refused = [{"lr": -1e-3}, {"eps": -1e-8}, {"lr": math.nan}, {"eps": math.nan}]
    check_refusals(impl, runs, rng, torch_rng, ADAGRAD, refused)


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
    expected = []
    signs = torch.tensor([1.0, -1.0], dtype=torch.float64)
    # An old average of 10 and a g² of 0.01: v + (g² − v), which is right too, still has 13 digits.
    drawn = (10 ** rng.uniform(-1, 1, (8, 3))).tolist()
    for g, old, lr in [(0.1, 10.0, 0.1), (10.0, 0.1, 10.0), *drawn]:
        result = steps_of(
            runs,
            RMSPROP,
            [torch.zeros_like(signs)],
            [(signs * g)[None]],
            [[torch.full_like(signs, old)]],
            lr=lr,
            alpha=0.0,
            eps=0.0,
        )
        expected.append((result, -signs * lr, torch.full_like(signs, g * g)))
        alpha = float(rng.uniform(*RANGES["alpha"]))  # with memory, the old average counts
        average = alpha * old + (1 - alpha) * g * g
        arguments = [torch.zeros_like(signs)], [(signs * g)[None]], [[torch.full_like(signs, old)]]
        result = steps_of(runs, RMSPROP, *arguments, lr=lr, alpha=alpha, eps=0.0)
        moved = -signs * lr * g / math.sqrt(average)
        expected.append((result, moved, torch.full_like(signs, average)))

    for result, moved, average in expected:
        expect(result["params"][0], "the parameter").close(moved, rtol=1e-10)
        expect(result["states"][0][0], "the average").close(average, rtol=1e-10)


@pytest.mark.exercise("rmsprop_step")
def test_rmsprop_average_is_not_corrected(runs, rng):
    """RMSProp adds eps outside the square root, and does not correct the average for its start at
    0"""
    expected = []
    for i in range(10):
        lr, eps, g = (float(x) for x in rng.uniform(0.1, 2, size=3))
        alpha, count = float(rng.uniform(0.5, 0.99)) if i else 0.0, int(rng.integers(1, 6))
        grads = scalar(g).repeat(count, 1)
        result = steps_of(runs, RMSPROP, [scalar(0.0)], [grads], lr=lr, alpha=alpha, eps=eps)
        averages = [(1 - alpha**t) * g * g for t in range(1, count + 1)]
        moved = math.fsum(lr * g / (math.sqrt(v) + eps) for v in averages)
        expected.append((result, moved, averages[-1]))
    for result, moved, average in expected:
        expect(result["params"][0], "the parameter").close(scalar(-moved), rtol=1e-10)
        expect(result["states"][0][0], "the average").close(scalar(average), rtol=1e-10)


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
    refused = [{"lr": -1e-3}, {"eps": -1e-8}, {"alpha": -0.1}, {"alpha": 1.0}]
    refused += [{name: math.nan} for name in ("lr", "eps", "alpha")]
    check_refusals(impl, runs, rng, torch_rng, RMSPROP, refused)


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
    params = random_tensors(torch_rng, [(6,), (2, 3)])
    grads = random_tensors(torch_rng, [(6,), (2, 3)], steps=30)
    settings = {**plain_settings(rng, ADAM), "first_step": LATE}
    expected, kept = steps_of_torch(ADAMW, params, grads, **settings)
    del settings["weight_decay"]
    result = steps_of(runs, ADAM, params, grads, **settings)
    close64(result["params"], expected, "params")
    close64(result["states"], kept, "moments")


@pytest.mark.exercise("adamw_step")
def test_adam_decay_is_in_the_gradient(runs, rng, torch_rng):
    """With Adam, a step with weight decay equals one with the gradient plus weight_decay · p"""
    params, *states = (random_tensors(torch_rng, [(6,), (2, 3)]) for _ in range(3))
    states[1] = [v.abs() for v in states[1]]
    grads = random_tensors(torch_rng, [(6,), (2, 3)], steps=1)
    settings = {**plain_settings(rng, ADAM), "weight_decay": float(rng.uniform(0.05, 0.5))}
    pulled = [g + settings["weight_decay"] * p for p, g in zip(params, grads, strict=True)]
    expected, kept = steps_of_torch(
        ADAM, params, pulled, states, first_step=LATE, **{**settings, "weight_decay": 0.0}
    )
    result = steps_of(runs, ADAM, params, grads, states, first_step=LATE, **settings)
    close64(result["params"], expected, "params")
    close64(result["states"], kept, "moments")


@pytest.mark.exercise("adamw_step")
def test_adam_first_step(runs, rng):
    """Adam's first step is lr · g / (|g| + eps), whatever the betas: both averages are corrected"""
    expected = []
    betas_at_ends = [(0.0, 0.0), (0.0, 0.999), (0.999, 0.0)]
    for betas in [*betas_at_ends, *map(tuple, rng.uniform(0, 0.999, (5, 2)).tolist())]:
        g, lr, eps = (10 ** rng.uniform(-2, 2, 3)).tolist()
        grads = [-scalar(g)[None]]
        result = steps_of(runs, ADAM, [scalar(0.0)], grads, lr=lr, betas=betas, eps=eps)
        expected.append((result, scalar(lr * g / (g + eps))))
        two = [torch.stack([-scalar(g), scalar(float(rng.uniform(0.1, 9)))])]  # a second one, too
        settings = {"lr": lr, "betas": (betas[0], 0.9), "eps": eps}
        (moved,), _ = steps_of_torch(ADAM, [scalar(0.0)], two, **settings)
        expected.append((steps_of(runs, ADAM, [scalar(0.0)], two, **settings), moved))

    for result, moved in expected:
        expect(result["params"][0], "the parameter").close(moved, rtol=1e-10, atol=1e-12)


@pytest.mark.exercise("adamw_step")
def test_adam_eps_is_outside_the_root(runs, rng):
    """Adam adds eps outside the square root and after the bias correction"""
    check_eps(runs, rng, ADAM)


@pytest.mark.exercise("adamw_step")
def test_adam_is_in_place(runs, rng, torch_rng):
    """Adam changes parameters and moments of any layout in place, unrecorded by autograd, and no
    gradient"""
    check_in_place(runs, rng, torch_rng, ADAM, ({}, {"weight_decay": 4.0}))


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
    check_refusals(impl, runs, rng, torch_rng, ADAM, [*REFUSED, {"step": 0}, {"step": -1}])


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
    params, *states = (random_tensors(torch_rng, [(6,), (2, 3)]) for _ in range(3))
    states[1] = [v.abs() for v in states[1]]
    start = ADAMW, params, random_tensors(torch_rng, [(6,), (2, 3)], steps=1), states
    settings, done = {**plain_settings(rng, ADAMW), "first_step": LATE}, []
    for lr, decay in ((0.05, 0.1), (2.0, float(rng.uniform(1, 9))), (1e-7, 1.0)):
        settings |= {"lr": lr, "weight_decay": decay}
        plain, kept = steps_of_torch(*start, **{**settings, "weight_decay": 0.0})
        factor = settings["lr"] * settings["weight_decay"]
        expected = [q - factor * p for p, q in zip(params, plain, strict=True)]
        done.append((steps_of(runs, *start, **settings), expected, kept))
    for result, expected, kept in done:
        close64(result["params"], expected, "params")
        close64(result["states"], kept, "moments")


@pytest.mark.exercise("adamw_step")
def test_step_is_in_place(runs, rng, torch_rng):
    """AdamW changes parameters and moments of any layout in place, unrecorded by autograd, and no
    gradient"""
    check_in_place(runs, rng, torch_rng, ADAMW, ({}, {"lr": 1e-7, "weight_decay": 1.0}))


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
    check_refusals(impl, runs, rng, torch_rng, ADAMW, [*REFUSED, {"step": 0}, {"step": -1}])


# --- AdamW ------------------------------------------------------------------


def steps_of_adamw(runs, params, grads, **how):
    """A run whose groups hold the settings and whose states a count, as torch's own do not."""
    left = runs.adamw(params, grads, **how)
    for group in left.state_dict["param_groups"]:
        group = set(group) - {"initial_lr"}  # a scheduler's
        expect(sorted(group), "what a group holds").equals(
            ["betas", "eps", "lr", "params", "weight_decay"]
        )
    for entry in left.state_dict["state"].values():
        expect(entry["step"], "a parameter's step").is_a(int)
    return left


@pytest.mark.exercise("adamw_optimizer", weight=2)
def test_optimizer_follows_torch(runs, rng, torch_rng):
    """After hundreds of steps in place, parameters are those of torch.optim.AdamW"""
    shapes, done = [(), (0, 2), (3, 5)], []
    for dtype, steps, tolerance in [(torch.float64, 200, 1e-10), (torch.float32, 50, 1e-5)]:
        params = random_tensors(torch_rng, shapes, dtype=dtype)
        grads = random_tensors(torch_rng, shapes, steps=steps, dtype=dtype)
        settings = random_settings(rng)
        expected, optimizer = torch_adamw(params, grads, **settings)
        moments = [
            {name: entry[name] for name in ADAMW.states} for entry in optimizer.state.values()
        ]
        done.append((steps_of_adamw(runs, params, grads, **settings), expected, moments, tolerance))
    for result, expected, moments, tolerance in done:
        expect(result["params"], "params").close(expected, rtol=tolerance, atol=tolerance)
        kept = [result.state_dict["state"][n] for n in range(len(moments))]
        kept = [{name: entry[name] for name in ADAMW.states} for entry in kept]
        expect(kept, "the moments").close(moments, rtol=tolerance, atol=tolerance)


@pytest.mark.exercise("adamw_optimizer")
def test_groups_and_defaults(runs, rng, torch_rng):
    """Each parameter group, of a list, a generator or one parameter, has its own settings, with
    the optimizer's as defaults"""
    shapes = [(3,), (2, 2), (4,), (5,)]
    params = random_tensors(torch_rng, shapes)
    grads = random_tensors(torch_rng, shapes, steps=30)
    own = random_settings(rng)
    groups = [
        {"params": [2], **random_settings(rng)},
        {"params": [0, 3], "weight_decay": 0.0},
        {"params": [1], "lr": own["lr"], "betas": own["betas"], "eps": own["eps"]},
    ]
    done = []
    # With gradients of a millionth, the default eps matters.
    for settings, scale in [(random_settings(rng), 1.0), ({}, 1e-6)]:
        grads = [scale * g for g in grads]
        expected, _ = torch_adamw(params, grads, groups=groups, **settings)
        done.append((steps_of_adamw(runs, params, grads, groups=groups, **settings), expected))
    settings = {**random_settings(rng), "groups": groups[:1], "added": groups[1:]}
    expected, _ = torch_adamw(params, grads, **settings)
    done.append((steps_of_adamw(runs, params, grads, **settings), expected))
    for result, expected in done:
        close64(result["params"], expected, "params")


@pytest.mark.exercise("adamw_optimizer")
def test_missing_gradients(runs, rng, torch_rng):
    """A gradient of None skips the parameter: no decay, no state, no step counted"""
    shapes = [(3,), (2, 2), (4,)]
    params = random_tensors(torch_rng, shapes)
    grads = random_tensors(torch_rng, shapes, steps=25)
    present = [[False, bool(rng.random() < 0.5), True] for _ in range(25)]
    present[0][1], present[1][1] = False, True
    how = {"present": present, **plain_settings(rng, ADAM)}
    how["groups"] = [{"params": [0], "weight_decay": 0.3}, {"params": [1, 2]}]
    expected, optimizer = torch_adamw(params, grads, **how)
    result = steps_of_adamw(runs, params, grads, **how)
    close64(result["params"], expected, "params")
    expect(result["params"][0], "the parameter without a gradient").equals(params[0])
    state = expect(result.state_dict["state"], "the state").is_a(dict)
    expect(sorted(state), "parameters with a state").equals(sorted(optimizer.state_dict()["state"]))


@pytest.mark.exercise("adamw_optimizer")
def test_zero_gradients(runs, rng, torch_rng):
    """With a gradient of zeros the parameter still decays and its moments fade"""
    params = random_tensors(torch_rng, [(3,), (4,)])
    grads = random_tensors(torch_rng, [(3,), (4,)], steps=12)
    grads[0][4:] = 0
    grads[1][:] = 0
    settings = random_settings(rng)
    expected, _ = torch_adamw(params, grads, **settings)
    result = steps_of_adamw(runs, params, grads, **settings)
    close64(result["params"], expected, "params")


@pytest.mark.exercise("adamw_optimizer")
def test_learning_rate_changes(runs, rng, torch_rng):
    """A scheduler's changes to the learning rate take effect, in each group"""
    shapes = [(3,), (2, 2)]
    params = random_tensors(torch_rng, shapes)
    grads = random_tensors(torch_rng, shapes, steps=20)
    settings, factors = plain_settings(rng, ADAM), [float(f) for f in rng.uniform(0, 2, size=20)]
    groups = [{"params": [0], "lr": 0.1}, {"params": [1]}]
    expected, _ = torch_adamw(params, grads, groups=groups, lrs=factors, **settings)
    result = steps_of_adamw(runs, params, grads, groups=groups, lr_factors=factors, **settings)
    close64(result["params"], expected, "params")


@pytest.mark.exercise("adamw_optimizer", weight=0.5)
def test_settings_change(runs, rng, torch_rng):
    """Changes to any setting between steps take effect"""
    params = random_tensors(torch_rng, [(3,), (2, 2)])
    grads = random_tensors(torch_rng, [(3,), (2, 2)], steps=12)
    changes = [random_settings(rng) for _ in range(12)]
    expected, _ = torch_adamw(params, grads, changes=changes)
    result = steps_of_adamw(runs, params, grads, changes=changes)
    close64(result["params"], expected, "params")


@pytest.mark.exercise("adamw_optimizer", weight=2)
def test_state_survives_saving(impl, runs, rng, torch_rng):
    """Loading the state into a fresh optimizer, in another process, does not change a run"""
    shapes = [(3,), (2, 2), ()]
    params = random_tensors(torch_rng, shapes)
    grads = random_tensors(torch_rng, shapes, steps=20)
    present = [[True, i % 3 > 0, i > 12] for i in range(20)]
    groups = [{"params": [1], **plain_settings(rng, ADAM)}, {"params": [0, 2]}]
    settings = plain_settings(rng, ADAM)
    expected, _ = torch_adamw(params, grads, present=present, groups=groups, **settings)
    bare, done = [{"params": group["params"]} for group in groups], []
    for at in (1, int(rng.integers(2, 19))):
        before, after = [g[:at] for g in grads], [g[at:] for g in grads]
        how = {"present": present[:at], "groups": groups, **settings}
        left = steps_of_adamw(runs, params, before, **how)
        impl.restart()
        more = {"present": present[at:], "groups": bare, "state": left.state_dict}
        done.append(steps_of_adamw(runs, params, after, onward_from=left, **more))
    for left in done:
        close64(left["params"], expected, "params")


@pytest.mark.exercise("adamw_optimizer")
def test_state_is_exchanged_with_torch(runs, rng, torch_rng):
    """Its state_dict can be loaded by torch.optim.AdamW, and vice versa"""
    shapes = [(3,), (2, 2)]
    params = random_tensors(torch_rng, shapes)
    grads = random_tensors(torch_rng, shapes, steps=16)
    first, rest = [g[:9] for g in grads], [g[9:] for g in grads]
    settings = plain_settings(rng, ADAM)
    expected, _ = torch_adamw(params, grads, **settings)

    half_way, theirs = torch_adamw(params, first, **settings)
    result = runs.adamw(half_way, rest, state=theirs.state_dict())
    for entry in result.state_dict["state"].values():
        expect(entry["step"], "step").equals(16)
    ours = runs.adamw(params, first, **settings)
    state = ours.state_dict
    for entry in state["state"].values():
        expect(entry["step"], "step").equals(9)
    state = {**torch_adamw(params, first)[1].state_dict(), "state": state["state"]}
    state["param_groups"] = [
        {**theirs, **mine}
        for theirs, mine in zip(state["param_groups"], ours.state_dict["param_groups"], strict=True)
    ]
    onward, _ = torch_adamw(ours["params"], rest, state=state)
    close64(onward, expected, "params of torch.optim.AdamW")
    # torch keeps the step in a float32 tensor, so 1 - β2ᵗ may be rounded to float32.
    expect(result["params"], "params").close(expected, rtol=1e-5, atol=1e-5)


@pytest.mark.exercise("adamw_optimizer")
def test_closure(impl, runs, rng, torch_rng):
    """step(closure) calls the closure once before each step, uses its gradient, returns its loss"""
    (weight,), settings = random_tensors(torch_rng, [(4,)]), plain_settings(rng, ADAM)
    run = ClosureRun(weight, torch_rng, settings)
    result = impl.scenarios.adamw_closure(weight, run.coefficients, steps=10, **settings)
    expect(len(run.losses), "calls of the closure").equals(10)
    run.step()
    close64(result["weight"], run.weight.detach(), "the weight")
    close64(result["losses"], run.losses, "what the steps returned")
    expect(result["without"], "the result without a closure").equals(None)
    grads = random_tensors(torch_rng, [(4,)], steps=5)
    expected, _ = torch_adamw([weight], grads, **settings)
    left = steps_of_adamw(runs, [weight], grads, **settings)
    close64(left["params"], expected, "the weight without closures")


class ClosureRun:
    """Steps of torch's AdamW beside those of the implementation, whose closures ask for gradients.

    Attributes:
        weight: after all steps but the last.
        losses: of each closure that has asked.
    """

    def __init__(self, weight, torch_rng, settings):
        self.weight, self.losses = torch.nn.Parameter(weight.clone()), []
        self._optimizer = torch.optim.AdamW([self.weight], foreach=False, **settings)
        self._torch_rng = torch_rng

    def coefficients(self, found):
        """The gradient of the next step, once the weight is that after all steps before."""
        if self.losses:
            self.step()
        close64(found, self.weight.detach(), "the weight in the closure")
        (self.weight.grad,) = random_tensors(self._torch_rng, [(4,)])
        self.losses.append((self.weight.detach() * self.weight.grad).sum().item())
        return self.weight.grad.clone()

    def step(self):
        self._optimizer.step()


@pytest.mark.exercise("adamw_optimizer", weight=0.5)
def test_optimizer_refuses(runs, rng, torch_rng):
    """Bad settings, also of one group and of a group added later, are refused at once and
    nothing is added; valid ones are taken"""
    shapes = [(3,), (2,)]
    params, grads = random_tensors(torch_rng, shapes), random_tensors(torch_rng, shapes, steps=2)
    zeros = {"lr": 0.0, "betas": (0.0, 0.0), "eps": 0.0, "weight_decay": 0.0}
    good = [zeros, {"lr": 2.0, "eps": math.inf}, *(plain_settings(rng, ADAM) for _ in range(3))]
    found, cases = [], []
    for one in [*REFUSED, *good]:
        first, other = {"params": [0]}, {"params": [1], **one}
        cases += [(one, one), (one, {"groups": [first, other]})]
        cases += [(one, {"groups": [other, first]}), (one, {"groups": [first], "added": [other]})]
        # Defaults count even if every group has settings of its own.
        cases.append((one, {**one, "groups": [{"params": [0, 1], **good[-1]}]}))
    for i in rng.permutation(len(cases)):
        one, how = cases[i]
        if one in good:
            found.append((how, steps_of_adamw(runs, params, grads, **how)))
        else:
            with pytest.raises(ValueError):  # before the first step
                runs.adamw(params, [g[:0] for g in grads], **how)
    only = {"groups": [{"params": [0], **good[-1]}]}
    later = [{"params": [1], **bad} for bad in REFUSED]
    later.append({"params": [0], **good[-1]})  # of another group
    found.append((only, steps_of_adamw(runs, params, grads, refused=later, **only)))
    for how, left in found:
        expected, _ = torch_adamw(params, grads, **how)
        close64(left["params"], expected, "params")
