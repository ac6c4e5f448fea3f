"""Initialization, compared with the distribution functions.

A sample is judged by its largest distance from the distribution function (Kolmogorov and Smirnov).
For n draws it exceeds d with a probability of at most 2·exp(-2nd²) (Massart 1990); with
d = √(13 / n) that is 1e-11, so no correct solution fails by chance.
"""

import math
from functools import partial

import pytest
import torch

from assignment.expect import expect

SAMPLE = 20_000


def distance(sample, cdf):
    """Checks that the sample's empirical distribution is close to `cdf`."""
    x = sample.double().flatten().sort().values
    n = len(x)
    steps = torch.arange(n + 1, dtype=torch.float64) / n
    expected = cdf(x)
    return max((steps[1:] - expected).max().item(), (expected - steps[:-1]).max().item())


def follows(sample, cdf, what):
    far, allowed = distance(sample, cdf), math.sqrt(13 / sample.numel())
    expect(far, f"{what}: how far from its distribution").close(0.0, rtol=0, atol=allowed)
    if sample.numel() > 1000:  # evenly spaced values come too close: a sample, once in 10¹² times
        assert far > 0.2 / math.sqrt(sample.numel()), f"{what}: the values are not drawn"


def uniform_cdf(bound):
    return lambda x: ((x + bound) / (2 * bound)).clamp(0, 1)


def normal_cdf(std):
    return lambda x: torch.special.ndtr(x / std)


def truncated_cdf(std, low, high):
    below = normal_cdf(std)
    a, b = below(torch.tensor([low, high], dtype=torch.float64)).tolist()
    return lambda x: (below(x) - a) / (b - a)


def xavier_cdf(d_in, d_out):
    return uniform_cdf(math.sqrt(6 / (d_in + d_out)))


def kaiming_cdf(d_in, d_out):
    return normal_cdf(math.sqrt(2 / d_in))


def wide_and_tall(rng):
    """Sizes of two weights of SAMPLE elements, so different that no one scale is right for both."""
    few, more = int(rng.integers(25, 40)), int(rng.integers(60, 80))
    return (few, -(-SAMPLE // few)), (-(-SAMPLE // more), more)


def new_seed(rng):
    return int(rng.integers(2**40))


def rows_and_columns_vary(w, what):
    """Checks that neighbouring elements, rows and columns are independent."""
    for rows in (w[1:] == w[:-1], w[:, 1:] == w[:, :-1]):
        assert rows.double().mean().item() < 1e-2, f"{what} repeats its elements"
    for a, b in ((w[1:], w[:-1]), (w[:, 1:], w[:, :-1])):
        a, b = a.double() - a.double().mean(), b.double() - b.double().mean()
        r = ((a * b).mean() / (a.square().mean() * b.square().mean()).sqrt()).item()
        assert abs(r) < 8 / math.sqrt(a.numel()), f"{what} has neighbours that correlate: {r:.3f}"
    # float32 has millions of values here: by chance, a few dozen of 20,000 repeat.
    assert w.unique().numel() > 0.97 * w.numel(), f"{what} repeats its elements"


def check_weights(impl, rng, name, cdf, vary=True):
    """Checks that a wide and a tall weight are draws from their distributions, and if they are to
    `vary`, that these are independent."""
    for shape in wide_and_tall(rng):
        w = expect(getattr(impl.initialization, name)(*shape, new_seed(rng)))
        follows(w.is_tensor(shape, torch.float32), cdf(*shape), name)
        if vary:
            rows_and_columns_vary(w.actual, name)


@pytest.mark.exercise("xavier", weight=2)
def test_xavier_is_uniform_between_its_bounds(impl, rng):
    """A Xavier weight is d_in × d_out in float32, of elements uniform on ±√(6 / (d_in + d_out))"""
    for d_in, d_out in (*wide_and_tall(rng), (1, SAMPLE), (SAMPLE, 1)):
        w = expect(impl.initialization.xavier_uniform(d_in, d_out, new_seed(rng)))
        w = w.is_tensor((d_in, d_out), torch.float32)
        bound = math.sqrt(6 / (d_in + d_out))
        for largest in (w.max().item(), -w.min().item()):
            # The probability that none of 20,000 is in the outermost 0.3 % of one side is e⁻³⁰.
            expect(largest, "the largest element").close(0.9985 * bound, rtol=1.5035e-3)
        follows(w, xavier_cdf(d_in, d_out), "xavier_uniform")


@pytest.mark.exercise("xavier")
def test_xavier_elements_are_independent(impl, rng):
    """Xavier's elements have about the right distribution, and neighbours, rows and columns have
    nothing to do with each other"""
    check_weights(impl, rng, "xavier_uniform", xavier_cdf)


@pytest.mark.exercise("xavier", weight=2)
def test_kaiming_is_normal_of_its_scale(impl, rng):
    """A Kaiming weight is d_in × d_out in float32, of independent normal elements with a standard
    deviation of about √(2 / d_in)"""
    for d_in, d_out in (*wide_and_tall(rng), (1, SAMPLE), (SAMPLE, 1)):
        w = expect(impl.initialization.kaiming_normal(d_in, d_out, new_seed(rng)))
        w = w.is_tensor((d_in, d_out), torch.float32)
        follows(w, kaiming_cdf(d_in, d_out), "kaiming_normal")


@pytest.mark.exercise("xavier")
def test_kaiming_moments_and_tails(impl, rng):
    """Kaiming's mean and variance are right to a few percent, and the tails are not truncated"""
    for d_in, d_out in ((250, 400), (400, 250)):
        w = expect(impl.initialization.kaiming_normal(d_in, d_out, new_seed(rng)))
        z = w.is_tensor((d_in, d_out), torch.float32).double() / math.sqrt(2 / d_in)
        # 7 standard errors each, a probability of 1e-11: 0.022 for a mean, 3.1 % for a variance.
        error = 7 / math.sqrt(z.numel())
        expect(z.mean().item(), "the mean, by the deviation").close(0.0, rtol=0, atol=error)
        variance = z.square().mean().item()
        expect(variance, "the variance, by the right one").close(1.0, rtol=math.sqrt(2) * error)
        for largest in (z.max().item(), -z.min().item()):
            assert 3.4 < largest < 8  # of 100,000, none beyond 3.4: e⁻³³; one beyond 8: 6e-11


@pytest.mark.exercise("xavier")
def test_kaiming_elements_are_independent(impl, rng):
    """Kaiming's elements have about the right distribution, and neighbours, rows and columns have
    nothing to do with each other"""
    check_weights(impl, rng, "kaiming_normal", kaiming_cdf)


def check_seeds(impl, rng, name, *arguments):
    """The same seed repeats a draw, also in another process, and another seed changes it."""
    draw = getattr(impl.initialization, name)
    first = new_seed(rng) | 2**62
    second = first ^ 1
    drawn = expect(draw(*arguments, first)).is_a(torch.Tensor)
    expect(draw(*arguments, first), "a second draw with the same seed").equals(drawn)
    other = expect(draw(*arguments, second)).is_tensor(tuple(drawn.shape), torch.float32)
    others = [other]
    for seed in (first ^ 2**31, first + 2**31 - 1, first + 2**32 - 1):
        found = expect(draw(*arguments, seed))
        others.append(found.is_tensor(tuple(drawn.shape), torch.float32))
    for found in others:
        assert torch.isin(found, drawn).double().mean().item() < 0.25, "two seeds draw the same"
    # A seed of 0 is one like any other: not chance, and not what code takes if it has no seed.
    zero = expect(draw(*arguments, 0)).is_tensor(tuple(drawn.shape), torch.float32)
    expect(draw(*arguments, 0), "a second draw with the seed 0").equals(zero)
    for seed in (1, 42, torch.Generator().initial_seed(), 2**63 - 1):
        found = expect(draw(*arguments, seed)).is_tensor(tuple(drawn.shape), torch.float32)
        assert torch.isin(found, zero).double().mean().item() < 0.25, "two seeds draw the same"
    impl.restart()
    # In another order: a global generator, seeded alike in both processes, would draw others.
    expect(draw(*arguments, second), "a draw in another process").equals(other)
    expect(draw(*arguments, first), "a draw in another process").equals(drawn)


def check_truncated(impl, rng, shape, a, b, std=None):
    """Draws a truncated normal with bounds of a and b std, and checks its distribution."""
    std = std or float(rng.uniform(0.01, 3))
    low, high = a * std, b * std  # bounds are values, not multiples of std
    x = impl.initialization.truncated_normal(shape, std, low, high, new_seed(rng))
    x = expect(x).is_tensor(tuple(shape), torch.float32)
    if x.numel():
        follows(x, truncated_cdf(std, low, high), f"{shape}, bounds of {a} and {b} std")
        slack = 1e-6 * std * max([1, *(abs(c) for c in (a, b) if math.isfinite(c))])
        beyond = max(low - x.min().item(), x.max().item() - high) - slack
        expect(max(beyond, 0.0), "how far beyond the bounds").equals(0.0)
    return x.double() / std


@pytest.mark.exercise("xavier")
def test_xavier_repeats_with_its_seed(impl, rng):
    """The seed alone decides a Xavier weight of about the right distribution, in another process
    too; other seeds give other weights"""
    check_seeds(impl, rng, "xavier_uniform", 7, 31)
    check_weights(impl, rng, "xavier_uniform", xavier_cdf, vary=False)


@pytest.mark.exercise("xavier")
def test_kaiming_repeats_with_its_seed(impl, rng):
    """The seed alone decides a Kaiming weight of about the right distribution, in another process
    too; other seeds give other weights"""
    check_seeds(impl, rng, "kaiming_normal", 31, 7)
    check_weights(impl, rng, "kaiming_normal", kaiming_cdf, vary=False)


@pytest.mark.exercise("truncated_normal", weight=2)
def test_truncated_follows_the_conditioned_normal(impl, rng):
    """Between the bounds, independent values in float32 have the normal distribution conditioned on
    the bounds"""
    usual = float(rng.uniform(0.01, 3))
    tiny, huge = (float(10 ** rng.uniform(n, n + 5)) for n in (-25, 20))
    for a, b, std in [
        (-3, 3, usual),
        (-1, 3, tiny),
        (-2.5, 0.5, huge),
        (0.5, 4, usual),
        (-2, -1, usual),
        (0, 1.5, usual),
        (-1, 0, usual),
        (-4e-10, 6e-10, usual),  # float64 has millions of steps between them
    ]:
        x = check_truncated(impl, rng, (SAMPLE // 2, 2), a, b, std)
        rows_and_columns_vary(x.view(-1, 100), f"a draw with bounds of {a} and {b} std")


@pytest.mark.exercise("truncated_normal")
def test_truncated_repeats_with_its_seed(impl, rng):
    """The seed alone decides a draw in float32 of the right distribution, in another process too"""
    check_seeds(impl, rng, "truncated_normal", (3, 5, 7), 1.5, -6.0, 5.0)
    check_truncated(impl, rng, (SAMPLE,), -2.5, 1)


def check_sizes(later, function, rng, cdf):
    """Checks sizes; `cdf` makes the distribution of a weight's elements from its sizes."""
    draw, ones = getattr(later.initialization, function), []

    def check(found, shape):
        follows(expect(found).is_tensor(shape, torch.float32), cdf(*shape), f"a weight of {shape}")

    n = int(rng.integers(2, 30))
    for shape in [(1, n), (n, 1), (1, 1), *wide_and_tall(rng)]:
        draw(*shape, new_seed(rng)).then(partial(check, shape=shape))
    # One by one: a sample that is scaled to have the right deviation would show.
    for _ in range(350):
        draw(1, 1, new_seed(rng)).then(
            lambda w: ones.append(expect(w).is_tensor((1, 1), torch.float32))
        )
    later.check()
    follows(torch.cat(ones), cdf(1, 1), "the element of a 1×1 weight")


@pytest.mark.exercise("xavier")
def test_xavier_of_any_size(later, rng):
    """Xavier weights with a size of 1, and others, have about the right distribution"""
    check_sizes(later, "xavier_uniform", rng, xavier_cdf)


@pytest.mark.exercise("xavier")
def test_kaiming_of_any_size(later, rng):
    """Kaiming weights with a size of 1, and others, have about the right distribution"""
    check_sizes(later, "kaiming_normal", rng, kaiming_cdf)


@pytest.mark.exercise("truncated_normal")
def test_truncated_bounds_hold(impl, rng):
    """No values are outside the bounds, and none were moved onto them"""
    # Without a std it is drawn; with 2 all arguments are ints.
    for a, b, std in [(-2.5, 1.0, None), (-0.1, 0.3, None), (1.0, 1.5, None), (-2, 1, 2)]:
        x = check_truncated(impl, rng, (SAMPLE // 2,), a, b, std)
        assert x.unique().numel() > 0.9 * x.numel(), "values are repeated"


@pytest.mark.exercise("truncated_normal")
def test_truncated_far_out(impl, rng):
    """Bounds of up to five std in either tail give the right distribution, equally fast"""
    small, large = float(rng.uniform(0.01, 0.1)), float(rng.uniform(1, 3))
    cases = [(4.0, 5.0, large), (-5.0, -4.0, large), (4.9, 5.0, small), (-5.0, -4.99, large)]
    for a, b, std in cases:
        check_truncated(impl, rng, [2000], a, b, std)


@pytest.mark.exercise("truncated_normal")
def test_truncated_open_ends(impl, rng):
    """With an infinite bound, values have the distribution that the other bound leaves"""
    std = float(rng.choice([rng.uniform(0.01, 0.5), rng.uniform(2, 3)]))
    for a, b in [(-math.inf, 0.5), (-0.5, math.inf), (1.0, math.inf), (-math.inf, math.inf)]:
        check_truncated(impl, rng, (9000,), a, b, std)


@pytest.mark.exercise("truncated_normal")
def test_truncated_shapes(impl, rng):
    """Every shape can be drawn from the right distribution, also scalars and shapes without
    elements"""
    n = int(rng.integers(2, 9))
    for shape in [(), (0,), (3, 0, 2), (1, 1, 1), (2, 3, 5), (2, n, SAMPLE // n)]:
        check_truncated(impl, rng, shape, -1, 2.5)
