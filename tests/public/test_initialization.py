"""Initialization: does the scale survive?"""

import math

import pytest
import torch

from assignment.expect import expect

SEEDS = (0, 1, 2**24, 2**24 + 1, 2**53, 2**53 + 1, 2**31, 2**31 - 1)  # all with other low 32 bits


def differ(draw):
    """Checks that every seed gives other numbers, and the same ones when it is asked again."""
    drawn = {seed: draw(seed) for seed in SEEDS}
    for seed, found in drawn.items():
        expect(draw(seed), f"what seed {seed} draws again").equals(found)
        for other in SEEDS:
            if other < seed and other % 2**32 != seed % 2**32:
                assert not torch.equal(found, drawn[other]), (
                    f"seeds {other} and {seed} draw the same"
                )


def looks_drawn(x, cumulative, what):
    """Checks that the elements, through their distribution function, are uniform and independent.

    Args:
        x: a matrix of many elements.
        cumulative: the distribution function that the elements should have.

    Every bound is more than six standard deviations of a uniform sample away.
    """
    expect(x, what).is_tensor(tuple(x.shape), torch.float32)
    u = cumulative(x.double()).clamp(0, 1)
    n = u.numel()
    tenths = torch.histc(u, 10, 0, 1) / n
    expect(tenths, f"the share of {what} in each tenth of its distribution").close(
        torch.full((10,), 0.1, dtype=torch.float64), rtol=0.0, atol=2 / n**0.5
    )
    for name, places in (("neighbours", 1), ("rows", u.shape[1])):
        together = ((u.flatten() - 0.5) * (u.flatten().roll(places) - 0.5)).mean().item() * 12
        expect(together, f"the correlation of {name} in {what}").close(
            0.0, rtol=0.0, atol=6 / n**0.5
        )


@pytest.mark.exercise("xavier")
def test_xavier_shape_and_bounds(impl):
    """A 300×500 Xavier weight is float32, and its largest element is just below √(6/800), 0.0866"""
    w = expect(impl.initialization.xavier_uniform(300, 500, 1)).is_tensor((300, 500), torch.float32)
    expect(w.abs().max().item(), "the largest element").close(
        math.sqrt(6 / 800), rtol=1e-3, hint="uniform on ±√(6 / (d_in + d_out))"
    )


@pytest.mark.exercise("xavier")
def test_xavier_repeats(impl):
    """With Xavier, the same seed gives the same weight, another seed gives another weight"""
    xavier_uniform = impl.initialization.xavier_uniform
    found = xavier_uniform(8, 8, 5)
    expect(found).equals(xavier_uniform(8, 8, 5))
    assert not torch.equal(found, xavier_uniform(8, 8, 6)), "seeds 5 and 6 give the same weight"


@pytest.mark.exercise("xavier")
def test_xavier_is_uniform_and_independent(impl, seed):
    """Xavier's elements are uniform on ±√(6 / (d_in + d_out)), whichever size is larger"""
    seed %= 2**63
    for d_in, d_out in [(60, 300), (300, 60)]:
        bound = math.sqrt(6 / (d_in + d_out))
        w = impl.initialization.xavier_uniform(d_in, d_out, seed)
        looks_drawn(w, lambda x, a=bound: (x + a) / (2 * a), f"xavier_uniform{(d_in, d_out, seed)}")
    largest = [impl.initialization.xavier_uniform(2, 2, n).abs().max().item() for n in range(40)]
    expect(len(set(largest)) > 30, "do the largest elements of 40 weights differ").equals(
        True, hint="draw each element, and do not rescale the sample"
    )
    expect(max(largest) > 1, "is one of 40 weights of 2×2 larger than 1").equals(
        True, hint="the bound there is √(6 / 4) = 1.22"
    )


@pytest.mark.exercise("xavier")
def test_xavier_seeds(impl):
    """Every seed draws another Xavier weight, 0 too"""
    differ(lambda seed: impl.initialization.xavier_uniform(3, 4, seed))


@pytest.mark.exercise("xavier")
def test_kaiming_scale(impl):
    """A 512×256 Kaiming weight has a standard deviation of √(2/512) = 0.0625"""
    w = expect(impl.initialization.kaiming_normal(512, 256, 1)).is_tensor((512, 256), torch.float32)
    expect(w.std().item(), "the standard deviation").close(
        0.0625, rtol=0.02, hint="√(2 / d_in), and d_in is the number of rows: x @ w sums over them"
    )


@pytest.mark.exercise("xavier")
def test_kaiming_survives_depth(impl):
    """Through 20 Kaiming layers with ReLU, activations change by less than a factor of 3"""
    x = torch.randn(64, 256, generator=torch.Generator().manual_seed(0))
    for layer in range(20):
        x = (x @ impl.initialization.kaiming_normal(256, 256, layer)).relu()
    size = x.square().mean().sqrt().item()
    assert 1 / 3 < size < 3, f"after 20 layers the root mean square is {size:.3g}"


@pytest.mark.exercise("xavier")
def test_kaiming_is_normal_and_independent(impl, seed):
    """Kaiming's elements are normal with a variance of 2 / d_in, which no sample has exactly"""
    seed %= 2**63
    for d_in, d_out in [(60, 300), (300, 60)]:
        std = math.sqrt(2 / d_in)
        w = impl.initialization.kaiming_normal(d_in, d_out, seed)
        looks_drawn(
            w, lambda x, s=std: torch.special.ndtr(x / s), f"kaiming_normal{(d_in, d_out, seed)}"
        )
    wide = [impl.initialization.kaiming_normal(1, 200, n) for n in range(20)]
    expect(max(w.abs().max().item() for w in wide) > 3, "is one of 4000 elements beyond 3").equals(
        True, hint="the standard deviation is √2 here; a normal distribution has no bounds"
    )
    small = [impl.initialization.kaiming_normal(3, 4, n) for n in range(20)]
    for name, found in [
        ("standard deviations", [w.std().item() for w in small]),
        ("sums of squares of a column", [w[:, 0].square().sum().item() for w in small]),
    ]:
        spread = max(found) / min(found)
        expect(spread > 1.2, f"do the {name} of 20 weights differ").equals(
            True, hint="draw each element, and do not rescale the sample"
        )


@pytest.mark.exercise("xavier")
def test_kaiming_seeds(impl):
    """Every seed draws another Kaiming weight, 0 too"""
    differ(lambda seed: impl.initialization.kaiming_normal(3, 4, seed))


@pytest.mark.exercise("truncated_normal")
def test_truncated_normal_within_bounds(impl):
    """With std 0.02, all values lie within ±0.06, and the standard deviation is 0.0197"""
    x = impl.initialization.truncated_normal((200, 500), 0.02, -0.06, 0.06, 3)
    expect(x).is_tensor((200, 500), torch.float32)
    most = x.abs().max().item()
    assert most <= 0.06 * (1 + 1e-6), f"a value lies {most:.4g} from 0, beyond the bounds of ±0.06"
    expect(x.std().item(), "the standard deviation").close(0.019732, rtol=0.02)


@pytest.mark.exercise("truncated_normal")
def test_truncated_normal_does_not_clamp(impl):
    """With bounds of ±1 std, almost no value is at a bound, and none beyond"""
    x = impl.initialization.truncated_normal((1000,), 1.0, -1.0, 1.0, 3)
    expect(x).is_tensor((1000,), torch.float32)
    count = int((x.abs() > 0.9999).sum())
    assert count < 10, f"{count} of 1000 values lie at the bounds of ±1, or beyond them"


def distribution(std, low, high):
    """The distribution function of a normal distribution between bounds."""
    bounds = torch.tensor([low, high], dtype=torch.float64)
    first, last = torch.special.ndtr(bounds / std).tolist()
    return lambda x: (torch.special.ndtr(x / std) - first) / (last - first)


@pytest.mark.exercise("truncated_normal")
def test_truncated_normal_has_its_distribution(impl, seed):
    """Whatever the bounds, also infinite or five std from 0, values are normal between them"""
    seed %= 2**63
    for std, low, high in [
        *((0.02, -0.06, 0.06), (1.0, 0, 1), (2.0, 0.0, math.inf), (1.0, -math.inf, 0.5)),
        *((1.0, -math.inf, math.inf), (1.0, 4.9, 5.0), (0.5, -2.5, -2.0)),
    ]:
        x = impl.initialization.truncated_normal((60, 300), std, low, high, seed)
        what = f"truncated_normal((60, 300), {std}, {low}, {high}, {seed})"
        expect(
            x.min().item() >= low - 1e-6 and x.max().item() <= high + 1e-6, "within bounds"
        ).equals(True)
        looks_drawn(x, distribution(std, low, high), what)


@pytest.mark.exercise("truncated_normal")
def test_truncated_normal_seeds_and_shapes(impl):
    """Every seed draws other numbers, 0 too; a scalar has no axis, and close bounds are bounds"""
    draw = impl.initialization.truncated_normal
    differ(lambda seed: draw((12,), 1.0, -2.0, 2.0, seed))
    for shape in [(), (0,), (2, 0, 3), (2, 1, 3)]:
        expect(draw(shape, 1.0, -1.0, 1.0, 5), f"shape {shape}").is_tensor(shape, torch.float32)
    close = draw((50,), 1.0, 0.5, 0.5 + 1e-9, 5)
    expect(close.double(), "between bounds that are close").close(
        torch.full((50,), 0.5, dtype=torch.float64), rtol=1e-6
    )
