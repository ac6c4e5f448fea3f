"""Seeding: repeatable runs and independent streams."""

import pytest

from assignment.expect import expect

GENERATORS = ("random", "numpy", "torch")


def draws_after(impl, seed):
    impl.seeding.seed_everything(seed)
    return impl.scenarios.draw()


@pytest.mark.exercise("seed_everything")
def test_a_seed_repeats_every_generator(impl):
    """After the same seed, random, numpy and torch draw the same numbers again"""
    first, second = draws_after(impl, 42), draws_after(impl, 42)
    for name in GENERATORS:
        expect(second[name], f"the draws of {name}").equals(first[name])


@pytest.mark.exercise("seed_everything")
def test_large_seeds_are_seeds(impl):
    """Seeds 7 and 7 + 2**32 give different draws of random and of numpy"""
    first, second = draws_after(impl, 7), draws_after(impl, 7 + 2**32)
    for name in ("random", "numpy"):
        assert first[name] != second[name], f"{name} draws the same numbers after both"
    expect(draws_after(impl, 7 + 2**32), "the draws after the same seed").equals(second)


@pytest.mark.exercise("seed_everything")
def test_every_bit_of_a_seed_counts(impl, rng):
    """Seeds that differ in any bit give other draws; torch, in one of the low 32"""
    seed = int(rng.integers(2**62))
    seeds = [seed, *(seed ^ (1 << bit) for bit in (*range(0, 63, 3), 31, 32))]
    # A seed whose halves are swapped, and one with the same sum and xor of its halves.
    seeds += [1, 2**32, 2**31, 2**62, 2**53 + 1, 2**53]
    drawn = {seed: draws_after(impl, seed) for seed in seeds}
    for name in GENERATORS:
        parts = {seed % 2**32 if name == "torch" else seed for seed in seeds}
        found = {tuple(draws[name]) for draws in drawn.values()}
        expect(len(found), f"different draws of {name} after {len(seeds)} seeds").equals(len(parts))


@pytest.mark.exercise("independent_streams")
def test_streams_do_not_meet(impl):
    """Different ranks, seeds and keys, 2 and '2' too, have different streams; equal ones one"""
    seed = impl.seeding.stream_seed
    expect(seed(7, 1)).is_a(int)
    expect(seed(7, 1)).equals(seed(7, 1))
    assert seed(7, 1) != seed(7, 2), "ranks 1 and 2 get the same stream"
    assert seed(7, 1) != seed(8, 1), "seeds 7 and 8 give identical streams"
    assert seed(7, 1) != seed(8, 0), "seed + rank gives identical streams"
    assert seed(7, 1, 23) != seed(7, 12, 3), "the keys need separators: 1, 23 is not 12, 3"
    assert seed(7, 2) != seed(7, "2"), "2 and '2' are different keys"
    assert seed(7, "dropout", 0) != seed(7, "dropout", 1), "ranks 0 and 1 get the same stream"


@pytest.mark.exercise("independent_streams")
def test_a_stream_is_the_same_in_every_process(impl):
    """Different streams keep their seeds in every process, whatever Python's `hash` is there"""
    calls = [[7, "dropout", rank] for rank in range(3)] + [[8, "dropout", 0]]
    first = impl.scenarios.stream_seeds(calls)
    for seed in first:
        expect(seed, "a seed").is_a(int)
    expect(impl.scenarios.stream_seeds(calls, salt=12345), "the seeds").equals(
        first, hint="hash the text with hashlib"
    )
    assert len(set(first)) == 4, f"three ranks of run 7 and one of run 8 get the seeds {first}"


@pytest.mark.exercise("independent_streams")
def test_a_generator_of_its_own(impl):
    """Two ranks draw different numbers, and each rank draws the same ones again"""
    a, b, again = impl.scenarios.stream_draws(
        [[7, "dropout", 0], [7, "dropout", 1], [7, "dropout", 0]], 4
    )
    expect(again, "the stream of rank 0").equals(a)
    assert not bool((a == b).any()), "two ranks draw the same numbers"


@pytest.mark.exercise("independent_streams")
def test_streams_leave_global_generators(impl):
    """Making a stream does not change what random, numpy and torch draw next"""
    states = impl.scenarios.generator_states()
    expected = impl.scenarios.draw()
    for scenario, *arguments in (("stream_seeds", [[7, 0]]), ("stream_draws", [[7, 0]], 4)):
        impl.scenarios.set_generator_states(states)
        getattr(impl.scenarios, scenario)(*arguments)
        found = impl.scenarios.draw()
        for name in GENERATORS:
            expect(found[name], f"what {name} draws after a stream was made").equals(
                expected[name], hint="a stream has a torch.Generator() of its own"
            )


@pytest.mark.exercise("independent_streams")
def test_streams_with_similar_names(impl):
    """Other keys give another seed, whatever they differ in; and no keys are another seed, too"""
    long, many = "x" * 300, list(range(100))
    pairs = [  # two streams a line
        *([[7], [8]], [[7], [7, ""]], [[7, "a"], [7, "A"]], [[7, "a"], [7, " a"]]),
        *([[7, "a"], [7, "a "]], [[7, "a"], [7, "a\0"]], [[7, "é"], [7, "e\u0301"]]),
        *([[7, "Ж"], [7, "?"]], [[7, "Ж"], [7, "Щ"]], [[7, "a,b"], [7, "a", "b"]]),
        *([[7, "a', 'b"], [7, "a", "b"]], [[7, "a", "b"], [7, "b", "a"]]),
        *([[7, long + "y"], [7, long + "z"]], [[7, *many, 1], [7, *many, 2]]),
        *([[2**53], [2**53 + 1]], [[7, 2**53], [7, 2**53 + 1]], [[7, 1], [7, 1 + 2**32]]),
        *([[7, -1], [7, 1]], [[7, -1], [7, 2**63 - 1]], [[7], [7 + 2**32]]),
        *([[7, "plumless"], [7, "buckeroo"]], [[7, 1, 2], [7, 12]]),  # of one CRC-32
        *([[7, "1"], [7, 1]], [[7, "int:1"], [7, 1]], [[7, "a/int:1"], [7, "a", 1]]),
    ]
    for mark in ",/|:;-_ \n\0":  # a string may hold whatever parts the keys
        pairs += [[7, f"a{mark}b"], [7, "a", "b"]], [[7, f"a{mark}str:b"], [7, "a", "b"]]
        pairs += [([7, f"a{mark}int:1"], [7, "a", 1])]
    for pair in pairs:
        first, second = impl.scenarios.stream_seeds(pair)
        expect(first, f"the seed of {str(pair[0])[:60]}").is_a(int)
        shown = " and ".join(ascii(call)[:60] for call in pair)
        expect(first != second, f"do {shown} have different seeds").equals(True)
    for seed in (7, 2**40, 0):
        (found,) = impl.scenarios.stream_seeds([[seed]])
        expect(found != seed, f"without keys, is the result another number than {seed}").equals(
            True
        )


@pytest.mark.exercise("independent_streams")
def test_seeds_of_63_bits(impl, rng):
    """A seed has 63 bits, of which each is 0 in some streams and 1 in others; equal keys agree"""
    run = int(rng.integers(2**40))
    calls = [[run, "dropout", "dropout", rank] for rank in range(100)]
    found = impl.scenarios.stream_seeds(calls)
    for seed in found:
        expect(0 <= expect(seed, "a seed").is_a(int) < 2**63, f"is {seed} in range").equals(True)
    for bit in range(63):
        seen = {seed >> bit & 1 for seed in found}
        expect(len(seen), f"different values of bit {bit} in 100 streams").equals(2)
    expect(impl.scenarios.stream_seeds(calls, salt=99), "the seeds in another process").equals(
        found
    )
