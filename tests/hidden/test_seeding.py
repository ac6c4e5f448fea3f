"""Seeding: exact repeats and independent streams.

Statistical bounds are about 6.5 standard deviations, a probability of 1e-10 each.
"""

import itertools
import math

import pytest
import torch

from assignment.expect import expect

GENERATORS = ("random", "numpy", "torch")


def new_seeds(rng, count, below=2**63):
    return [int(n) for n in rng.integers(below, size=count)]


@pytest.mark.exercise("seed_everything", weight=2)
def test_each_generator_repeats(impl, rng):
    """Seeded again with the same seed, every generator repeats its numbers"""
    seeds = [*new_seeds(rng, 4), 0, 2**63 - 1, 2**32 - 1, 2**32]
    first = impl.scenarios.draws_after_seeding(seeds)
    again = impl.scenarios.draws_after_seeding(seeds, burn=int(rng.integers(1, 6)))
    for name in GENERATORS:
        drawn = [draws[name] for draws in first]
        expect([draws[name] for draws in again], f"the draws of {name}").equals(drawn)
        assert len({tuple(draws) for draws in drawn[:4]}) == 4, (
            f"{name} draws the same numbers for two seeds"
        )


@pytest.mark.exercise("seed_everything")
def test_a_fresh_process_repeats(impl, rng):
    """A fresh process draws the same numbers after the same seed"""
    seeds = new_seeds(rng, 3)
    first = impl.scenarios.draws_after_seeding(seeds)
    impl.restart()
    again = impl.scenarios.draws_after_seeding(seeds, burn=1)
    expect(again, "the draws").equals(first)
    for name in GENERATORS:
        assert first[0][name] != first[1][name], f"{name} draws the same numbers for two seeds"


@pytest.mark.exercise("seed_everything")
def test_neighbouring_seeds_differ(impl, rng):
    """Neighbouring seeds give different draws in all three generators"""
    (start,) = new_seeds(rng, 1, below=2**62)
    found = impl.scenarios.draws_after_seeding([*(start + i for i in range(8)), start])
    for name in GENERATORS:
        assert len({tuple(draws[name]) for draws in found[:8]}) == 8, name
        expect(found[8][name], f"{name} after the first seed again").equals(found[0][name])


@pytest.mark.exercise("seed_everything")
def test_the_whole_seed_counts(impl, rng):
    """Seeds with equal low or equal high 32 bits give different draws, also in numpy"""
    low, high = (int(n) for n in rng.integers(2, 2**31, size=2))
    seeds = [low, low + (high << 32), low + ((high ^ 1) << 32), high << 32, low]
    found = impl.scenarios.draws_after_seeding(seeds)
    for name in ("random", "numpy"):
        assert len({tuple(draws[name]) for draws in found[:4]}) == 4, name
        expect(found[4][name], f"{name} after the first seed again").equals(found[0][name])


@pytest.mark.exercise("seed_everything")
def test_torch_takes_the_seed_as_it_is(impl, rng):
    """torch is seeded with the seed itself"""
    seeds = new_seeds(rng, 3)
    found = impl.scenarios.draws_after_seeding(seeds)
    for seed, draws in zip(seeds, found, strict=True):
        generator = torch.Generator().manual_seed(seed)
        own = torch.rand(3, generator=generator, dtype=torch.float64).tolist()
        expect(draws["torch"], "the draws of torch").equals(own)


@pytest.mark.exercise("seed_everything")
def test_refuses_seeds_out_of_range(impl, rng):
    """Seeds below 0 and from 2**63 on are refused; 0 and 2**63 - 1 are accepted"""
    for seed in (-1, -(2**63), 2**63, 2**64, 2**70):
        with pytest.raises(ValueError):
            impl.seeding.seed_everything(seed)
    seeds = [0, 1, 2**63 - 1, *new_seeds(rng, 1)]
    found = impl.scenarios.draws_after_seeding(seeds)
    assert len({str(draws) for draws in found}) == 4


@pytest.mark.exercise("seed_everything")
def test_a_refused_seed_changes_nothing(impl, rng):
    """A refusal does not change the generators"""
    (state,) = new_seeds(rng, 1, below=2**31)
    (good,) = new_seeds(rng, 1)
    plain = impl.scenarios.draws_around("", "", [], state)
    for seed in (-1, -(2**40), 2**63, 2**64 + 1):
        found = impl.scenarios.refused_seeding(seed, state)
        assert found["refused"], f"seed {seed}"
        expect(found["draws"], f"draws after seed {seed}").equals(plain["before"])
    found = impl.scenarios.refused_seeding(good, state)
    assert not found["refused"]
    for name in GENERATORS:
        assert found["draws"][name] != plain["before"][name], f"{name} was not seeded"


def many_calls(rng):
    """Seeds and keys whose sums, products or joined texts would be equal."""
    (base,) = new_seeds(rng, 1, below=2**40)
    near = [[base + i, *keys] for i in range(4) for keys in itertools.product(range(8), repeat=2)]
    digits = [[base, 1, 23], [base, 12, 3], [base, 123], [base, 1, 2, 3], [base, "123"]]
    kinds = [[base, 2], [base, "2"], [base, 2, ""], [base, "", 2], [base, ""], [base]]
    texts = [[base, "ab", "c"], [base, "a", "bc"], [base, "abc"], [base, "a,b"], [base, "a", "b"]]
    quotes = [[base, "1, 2"], [base, "1', '2"], [base, "1", "2"], [base, "1\n2"], [base, "(1,)"]]
    signs = [[base, -1], [-base, 1], [-base], [base, 2**63], [base, 2**64], [base + 2**64]]
    return [*near, *digits, *kinds, *texts, *quotes, *signs, [base, "é"], [base, "e"], [0], [0, 0]]


@pytest.mark.exercise("independent_streams", weight=2)
def test_no_two_streams_meet(impl, rng):
    """Different seeds and keys give different streams, also if only order or type differ"""
    calls = many_calls(rng)
    found = expect(impl.scenarios.stream_seeds(calls)).is_a(list)
    assert len(found) == len(calls)
    first = {}
    for call, seed in zip(calls, found, strict=True):
        expect(seed, f"the seed of {call}").is_a(int)
        assert seed not in first, f"{call} and {first[seed]} have the same stream"
        first[seed] = call


@pytest.mark.exercise("independent_streams")
def test_streams_repeat_in_every_process(impl, rng):
    """Every process gives a stream the same seed"""
    calls = many_calls(rng)
    first = impl.scenarios.stream_seeds(calls)
    impl.restart()
    expect(impl.scenarios.stream_seeds(calls), "the seeds").equals(first)
    salt = int(rng.integers(1, 2**60))
    expect(impl.scenarios.stream_seeds(calls, salt), "the seeds, `hash` differing").equals(first)
    assert len(set(first)) > len(first) // 2


@pytest.mark.exercise("independent_streams")
def test_every_bit_is_used(impl, rng):
    """Seeds use all 63 bits, and each bit is equally often 0 and 1"""
    (base,) = new_seeds(rng, 1)
    count = 2000
    found = impl.scenarios.stream_seeds([[base, "rank", i] for i in range(count)])
    assert all(0 <= seed < 2**63 for seed in found)
    for bit in range(63):
        ones = sum(seed >> bit & 1 for seed in found)
        assert abs(ones - count / 2) < 6.5 * math.sqrt(count) / 2, f"bit {bit} is 1 {ones} times"


@pytest.mark.exercise("independent_streams")
def test_generators_are_seeded_so(impl, rng):
    """A stream's generator is new, and seeded with the stream's seed"""
    calls = [[seed, key, i] for i, seed in enumerate(new_seeds(rng, 3)) for key in ("a", "b", 3)]
    seeds = impl.scenarios.stream_seeds(calls)
    drawn = impl.scenarios.stream_draws(calls, 5)
    for call, seed, draws in zip(calls, seeds, drawn, strict=True):
        generator = torch.Generator().manual_seed(seed)
        own = torch.randn(5, generator=generator, dtype=torch.float64)
        expect(draws, f"draws of {call}").equals(own)


@pytest.mark.exercise("independent_streams")
def test_streams_do_not_correlate(impl, rng):
    """Neighbouring streams are independent"""
    (base,) = new_seeds(rng, 1, below=2**40)
    n = 4000
    calls = [[base, 0], [base, 1], [base + 1, 0], [base, 0, 0]]
    draws = impl.scenarios.stream_draws([*calls, calls[0]], n)
    expect(draws.pop(), "the first stream, made again").equals(draws[0])
    for a, b in itertools.combinations(draws, 2):
        r = torch.corrcoef(torch.stack([a, b]))[0, 1].item()
        assert abs(r) < 6.5 / math.sqrt(n), f"two streams correlate: {r:.3f}"


@pytest.mark.exercise("independent_streams")
def test_streams_leave_global_generators_alone(impl, rng):
    """Making streams neither reads nor advances the global generators"""
    (state,) = new_seeds(rng, 1, below=2**31)
    (seed,) = new_seeds(rng, 1)
    plain = impl.scenarios.draws_around("", "", [], state)
    for name in ("stream_seed", "stream_generator"):
        around = impl.scenarios.draws_around("seeding", name, [seed, "x"], state)
        assert around["called"]
        expect(around["after"], f"global draws after {name}").equals(plain["after"])
    seeds = impl.scenarios.stream_seeds([[seed, "x"], [seed, "y"], [seed, "x"]])
    assert seeds[0] == seeds[2] != seeds[1], "two keys have the same stream"


@pytest.mark.exercise("independent_streams")
def test_refuses_other_keys(impl, rng):
    """Keys that are neither int nor str are refused"""
    (seed,) = new_seeds(rng, 1)
    for key in (1.0, None, b"1", (1,)):
        for keys in ([key], [1, key], [key, "a"]):
            with pytest.raises(TypeError):
                impl.seeding.stream_seed(seed, *keys)
    seeds = [impl.seeding.stream_seed(seed, "good", i) for i in range(2)]
    assert len(set(seeds)) == 2
