"""Seeding: exact repeats and independent streams.

Statistical bounds are about 6.5 standard deviations, a probability of 1e-10 each.
"""

import itertools
import math

import numpy as np
import pytest
import torch

from assignment.expect import expect
from assignment.material import generators

GENERATORS = ("random", "numpy", "torch")


def new_seeds(rng, count, below=2**63):
    return [int(n) for n in rng.integers(below, size=count)]


def seeded(later, seeds, burn=0):
    """What each generator draws after each seed, and torch's state as bytes.

    The draws come from the states of the generators: numbers alone can be computed from a seed.
    """
    found = []

    def keep(states):
        found.append({**generators.draws(states), "torch": as_bytes(states["torch"])})

    for seed in seeds:
        if burn:
            later.scenarios.draw(burn).gives_anything()
        later.seeding.seed_everything(seed).gives_anything()
        later.scenarios.generator_states().then(keep)
    later.check()
    return found


def as_bytes(state):
    return bytes(expect(state).is_tensor(torch.get_rng_state().shape, torch.uint8).numpy())


def count_different(found, name):
    return len({str(draws[name]) for draws in found})


def check_repeats(impl, later, rng, found, seed):
    """The first draws come again in a fresh process: what is remembered of a seed is gone there."""
    impl.restart()
    (again,) = seeded(later, [seed], burn=int(rng.integers(1, 6)))
    expect(again, "the draws after the first seed in a fresh process").equals(found[0])


@pytest.mark.exercise("seed_everything", weight=3)
def test_each_generator_repeats(impl, later, rng):
    """After the same seed every generator repeats its numbers, also in a fresh process"""
    seeds = [*new_seeds(rng, 4), 0, 2**63 - 1, 2**32 - 1, 2**32]
    first = seeded(later, seeds)
    impl.restart()
    order = rng.permutation(len(seeds))
    again = seeded(later, [seeds[i] for i in order], burn=int(rng.integers(1, 6)))
    for name in GENERATORS:
        drawn = [first[i][name] for i in order]
        expect([draws[name] for draws in again], f"the draws of {name}").equals(drawn)
        assert count_different(first[:4], name) == 4, f"{name} draws the same for two seeds"
    for draws in seeded(later, [seeds[0]] * 2, burn=int(rng.integers(1, 6))):
        expect(draws, "the draws after the same seed twice in a row").equals(first[0])


@pytest.mark.exercise("seed_everything")
def test_neighbouring_seeds_differ(impl, later, rng):
    """Neighbouring seeds give different draws in all three generators"""
    (start,) = new_seeds(rng, 1, below=2**62)
    found = seeded(later, [start + i for i in range(8)])
    for name in GENERATORS:
        assert count_different(found, name) == 8, name
    check_repeats(impl, later, rng, found, start)


@pytest.mark.exercise("seed_everything")
def test_the_whole_seed_counts(impl, later, rng):
    """Every bit of the seed counts in each generator, and numpy takes words, not a mixture"""
    low, high = (int(n) for n in rng.integers(2, 2**31, size=2))
    found = seeded(later, [low, low + (high << 32), low + ((high ^ 1) << 32), high << 32])
    for name in ("random", "numpy"):
        assert count_different(found, name) == 4, name
    check_repeats(impl, later, rng, found, low)
    # Halves with equal sums, and with equal bits that are set in one of them.
    halves = [(low, high), (high, low), (low + 1, high - 1), (low ^ 64, high ^ 64)]
    found = seeded(later, [a + (b << 32) for a, b in halves])
    for name in ("random", "numpy"):
        assert count_different(found, name) == 4, f"{name} has one of the halves for the other"
    (seed,) = new_seeds(rng, 1)
    found = seeded(later, [seed, *(seed ^ 1 << bit for bit in range(63))])
    for name in ("random", "numpy"):
        assert count_different(found, name) == 64, f"{name} draws the same without one of the bits"
    # Of one word, numpy keeps that word as the first of its state.
    impl.seeding.seed_everything(seed | 1 << 62)
    states = impl.scenarios.generator_states()
    expected = generators.draws(states)["numpy"]
    one_word = np.random.RandomState(int(states["numpy"][1][0])).get_state()
    drawn = generators.draws({**states, "numpy": one_word})["numpy"]
    assert drawn != expected, "numpy was seeded with one word"


@pytest.mark.exercise("seed_everything")
def test_torch_takes_the_seed_as_it_is(impl, later, rng):
    """torch is seeded with the seed itself"""
    seeds = new_seeds(rng, 3)
    found = seeded(later, seeds)
    check_repeats(impl, later, rng, found, seeds[0])
    for seed, draws in zip(seeds, found, strict=True):
        own = torch.Generator().manual_seed(seed).get_state()
        expect(draws["torch"], "the state of torch").equals(as_bytes(own))


def many_calls(rng):
    """Seeds and keys whose sums, products or joined texts would be equal."""
    (base,) = new_seeds(rng, 1, below=2**40)
    near = [[base + i, *keys] for i in range(4) for keys in itertools.product(range(8), repeat=2)]
    digits = [[base, 1, 23], [base, 12, 3], [base, 123], [base, 1, 2, 3], [base, "123"]]
    kinds = [[base, 2], [base, "2"], [base, 2, ""], [base, "", 2], [base, ""], [base]]
    texts = [[base, "ab", "c"], [base, "a", "bc"], [base, "abc"], [base, "a", "b"]]
    quotes = [[base, "1, 2"], [base, "1', '2"], [base, "1", "2"], [base, "1\n2"], [base, "(1,)"]]
    signs = [[base, -1], [base, 1], [base, -(2**63)], [base, 2**63 - 1], [base, 2**32]]
    signs += [[base, 5 + 2**32], [base, -5], [base + 2**32], [base + 2**62]]
    # The numbers of each pair have the same `hash` in Python.
    signs += [[base, -2], [base, 5], [base, 5 + 2**61 - 1]]
    signs += [[base, 2**53 + 1], [base, 2**53], [base + 2**60], [base + 2**60 + 1]]  # as float64
    texts += [[base, "end"], [base, "end\0"], [base, "end "]]
    # A string that has the text of two keys with a separator, and perhaps their types, in it.
    tags = ["", "s", "str", "s:", "str:", "str=", "'", '"']
    marks = [*"|/,;: -_.+#\0\n\t\x1f", ", ", "::", "--"]
    texts += [[base, f"a{mark}{tag}b"] for mark in marks for tag in tags]
    letters = [[base, text] for text in ("é", "e", "e\u0301", "è", "?", "日本", "日木", "🙂", "２")]
    texts += [[base, "End"], [base, " end"], [base, "end", ""]]
    long = [[base, "x" * 5000 + end, *range(9)] for end in ("", "x", "y")]
    long += [[base, *range(40)], [base, *range(39), 40], [base, *range(39)]]
    small = [[seed, *keys] for seed in range(4) for keys in ([], *([key] for key in range(4)))]
    sums = [[base, "plumless"], [base, "buckeroo"]]  # of equal CRC-32
    sums += [[base, "twice", "twice"], [base, "twice", "twice", "once", "twice"]]
    return [*near, *digits, *kinds, *texts, *quotes, *signs, *letters, *long, *small, *sums]


def stream_seeds(impl, rng, calls):
    """The seed of each call: a function of the call alone, in two processes."""
    salts = iter((0, int(rng.integers(1, 2**60))))  # workers are forks with the same `hash`
    return twice(
        rng, calls, lambda some: impl.scenarios.stream_seeds(some, salt=next(salts)), impl.restart
    )


def stream_draws(impl, rng, calls, count):
    """Draws of the generator of each call: a function of the call alone, in two processes."""
    return twice(rng, calls, lambda some: impl.scenarios.stream_draws(some, count), impl.restart)


def twice(rng, calls, ask, restart):
    """Asks for the results of all calls, in random order; and once more for half of them.

    No call has the same place again: what depends on the place alone differs.
    """
    order = rng.permutation(len(calls))
    results = expect(ask([calls[i] for i in order])).is_a(list)
    first = dict(zip(order.tolist(), results, strict=True))
    restart()
    moved = int(rng.integers(1, len(calls)))
    some = [*order[moved:], *order[:moved]][: len(calls) // 2 + 1]
    again = ask([calls[i] for i in some])
    expect(again, "the results in another process").equals([first[int(i)] for i in some])
    return [first[i] for i in range(len(calls))]


@pytest.mark.exercise("independent_streams", needs="test_no_two_streams_meet")
def test_streams_repeat_in_every_process(impl, rng):
    """Every process gives a stream the same seed, an int"""
    calls = [call for call in many_calls(rng) if str(call).isascii()]
    # Equal texts, which in the other process are one object.
    two = ["".join("twice") for _ in range(2)]
    calls += [[calls[0][0], *two], [calls[0][0], two[0], "once", two[1]]]
    for seed in stream_seeds(impl, rng, calls):
        expect(seed, "a seed").is_a(int)


@pytest.mark.exercise("independent_streams", weight=2)
def test_no_two_streams_meet(impl, rng):
    """Different seeds and keys, in any alphabet, give different streams, also if only order or type
    differ"""
    calls = many_calls(rng)
    found = stream_seeds(impl, rng, calls)
    first = {}
    for call, seed in zip(calls, found, strict=True):
        expect(seed, f"the seed of {call}").is_a(int)
        assert 0 <= seed < 2**63, f"the seed of {call} is out of range: {seed}"
        assert seed not in first, f"{call} and {first[seed]} have the same stream"
        first[seed] = call


@pytest.mark.exercise("independent_streams")
def test_every_bit_is_used(impl, rng):
    """Seeds use all 63 bits, and each bit is equally often 0 and 1"""
    (base,) = new_seeds(rng, 1)
    count = 1000
    numbers = range(count)
    names = {
        "a text and an int as keys": [[base, "rank", i] for i in numbers],
        "an int as key": [[base, i] for i in numbers],
        "no key": [[base // 2 + i] for i in numbers],
    }
    for what, calls in names.items():
        found = [expect(seed, "a seed").is_a(int) for seed in stream_seeds(impl, rng, calls)]
        for bit in range(63):
            ones = sum(seed >> bit & 1 for seed in found)
            far = abs(ones - count / 2)
            assert far < 6.5 * math.sqrt(count) / 2, (
                f"with {what}, bit {bit} is set in {ones} of {count} streams"
            )


@pytest.mark.exercise("independent_streams")
def test_generators_are_seeded_so(impl, rng):
    """A stream's generator is new, and seeded with the stream's seed; the global ones stay"""
    calls = [[seed, key, i] for i, seed in enumerate(new_seeds(rng, 3)) for key in ("a", "b", 3)]
    calls += calls[:3]  # made twice, a stream has two generators
    seeds = stream_seeds(impl, rng, calls)
    drawn = stream_draws(impl, rng, calls, 5)
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
    draws = stream_draws(impl, rng, calls, n)
    for a, b in itertools.combinations(draws, 2):
        r = torch.corrcoef(torch.stack([a, b]))[0, 1].item()
        assert abs(r) < 6.5 / math.sqrt(n), f"two streams correlate: {r:.3f}"
