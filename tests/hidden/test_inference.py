"""Inference, compared with a decoder on torch's meta device that keeps its keys and values.

Counts are exact. Ratios and times are a few operations in float64, each of which rounds by 1e-16,
so they must agree with fractions to 1e-12.
"""

import functools
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from assignment.expect import expect

AWKWARD = [2, 3, 5, 17, 63, 65, 66, 1023]
DTYPES = [torch.float64, torch.float32, torch.bfloat16, torch.float8_e4m3fn, torch.int8]
WIDTHS = [2, 0.5625, 0.53125, 4, 0.65625, 1, 0.5, 0.1875]  # bytes; some with scales
HALF = torch.float16
PHASES = {"prefill": "prompt", "decode": "context"}  # the argument for the tokens


def sizes(rng, count):
    return [int(n) for n in rng.choice(AWKWARD, size=count)]


def huge(rng, count):
    return [int(n) | 1 for n in rng.integers(2**40, 2**50, size=count)]


def meta(*shape, dtype=torch.float32):
    return torch.empty(shape, dtype=dtype, device="meta")


class Decoder:
    """A decoder of plain matrices, whose cache holds the keys and values of tokens that it has run.

    `flops` and `moved` have what torch counts in the last run: FLOPs, and the bytes of the weights
    and of the cache, by part.
    """

    def __init__(
        self, *, vocab, layers, d_model, heads, d_ff, kv_heads=None, gated=True, batch=1, dtypes=()
    ):
        weight_dtype, self.dtype = dtypes or (torch.float32, torch.float32)
        self.heads, self.kv_heads = heads, heads if kv_heads is None else kv_heads
        self.batch, self.d_model = batch, d_model
        self.head_dim = d_model // heads
        kv_width = self.kv_heads * self.head_dim
        up = [(d_model, d_ff)] * (1 + gated)
        shapes = [(d_model, d_model)] * 2 + [(d_model, kv_width)] * 2 + [*up, (d_ff, d_model)]
        self.layers = [[meta(*shape) for shape in shapes] for _ in range(layers)]
        self.lm_head = meta(d_model, vocab)
        matrices = [matrix for layer in self.layers for matrix in layer] + [self.lm_head]
        self.parameters = sum(matrix.numel() for matrix in matrices)
        self.weight_bytes = sum(matrix.to(weight_dtype).nbytes for matrix in matrices)
        empty = meta(batch, self.kv_heads, 0, self.head_dim)
        self.cache = [(empty, empty) for _ in range(layers)]

    def run(self, new_tokens):
        with FlopCounterMode(display=False) as counter:
            self.forward(meta(self.batch, new_tokens, self.d_model))
        counts = counter.get_flop_counts().get("Global", {})
        # Products with weights are of matrices, those of activations are of batches of matrices.
        weights, attention = (counts.get(op, 0) for op in (torch.ops.aten.mm, torch.ops.aten.bmm))
        assert weights + attention == counter.get_total_flops()
        self.flops = {"weights": weights, "attention": attention}
        self.moved = {"weights": self.weight_bytes, "attention": self.cache_bytes()}
        return self

    def run_phase(self, phase, tokens):
        """A prefill of so many tokens, or the decode step of the last of them."""
        return self.run(tokens) if phase == "prefill" else self.run(tokens - 1).run(1)

    def forward(self, x):
        for i, (q, o, k, v, *ups, down) in enumerate(self.layers):
            queries, *new = (x @ matrix for matrix in (q, k, v))
            new = [self.split(one, self.kv_heads) for one in new]
            self.cache[i] = tuple(
                torch.cat(pair, dim=2) for pair in zip(self.cache[i], new, strict=True)
            )
            shared = self.heads // self.kv_heads
            keys, values = (one.repeat_interleave(shared, dim=1) for one in self.cache[i])
            mixed = (self.split(queries, self.heads) @ keys.mT) @ values
            mixed.transpose(1, 2).flatten(2) @ o  # the sum with x has the shape of x
            *_, hidden = (x @ matrix for matrix in ups)
            x = hidden @ down
        return x[:, -1:].flatten(0, 1) @ self.lm_head

    def cache_bytes(self):
        return sum(one.to(self.dtype).nbytes for pair in self.cache for one in pair)

    def split(self, x, heads):
        return x.unflatten(-1, (heads, self.head_dim)).transpose(1, 2)

    def intensity(self):
        return {part: Fraction(flops, self.moved[part]) for part, flops in self.flops.items()}


def random_decoder(rng, **settings):
    """Sizes that are all different, and mostly odd."""
    heads = int(rng.choice([2, 4, 6]))
    odd = [int(n) for n in rng.permutation([3, 5, 7, 9, 11, 13])]
    return {
        "vocab": 8 * odd[0] + 1,
        "layers": int(rng.integers(2, 4)),
        "d_model": heads * odd[1],
        "heads": heads,
        "d_ff": 4 * odd[2],
        **settings,
    }


# --- kv_cache ----------------------------------------------------------------


@pytest.mark.exercise("kv_cache", weight=2)
def test_the_cache_is_what_a_decoder_keeps(later, rng):
    """The cache has the bytes of the keys and values that a decoder keeps in all layers"""
    for i in range(8):
        kv_heads, dtype = [1, 3, 6][i % 3], DTYPES[i % 5]
        batch, tokens = (int(n) for n in rng.integers(2, 40, size=2))
        config = random_decoder(rng, d_model=6 * int(rng.choice([5, 7, 9])), heads=6)
        decoder = Decoder(**config, kv_heads=kv_heads, batch=batch, dtypes=(dtype, dtype))
        decoder.run_phase("decode", tokens)
        shape = (batch, tokens, config["layers"], kv_heads, decoder.head_dim, dtype)
        later.inference.kv_cache_bytes(*shape).equals(decoder.cache_bytes())


@pytest.mark.exercise("kv_cache")
def test_huge_caches_are_exact(later, rng):
    """Bytes beyond 64 bits are exact integers"""
    for dtype in [*DTYPES, torch.float4_e2m1fn_x2, torch.complex64, torch.bool]:
        shape, one = huge(rng, 5), meta(1, dtype=dtype).nbytes
        later.inference.kv_cache_bytes(*shape, dtype).equals(sum([math.prod(shape)] * one * 2))


@pytest.mark.exercise("kv_cache")
def test_a_cache_without_elements(later, rng):
    """With a size of 0 the cache takes no bytes; a size of 1 is a size like others"""
    for i in range(5):
        shape, dtype = sizes(rng, 5), DTYPES[i]
        for size in (shape[i], 1, 0):
            shape[i] = size
            whole = 2 * meta(*shape, dtype=dtype).nbytes
            later.inference.kv_cache_bytes(*shape, dtype).equals(whole)


def a_cache(rng, i):
    """The arguments of one sequence's cache, and its bytes."""
    shape, dtype = sizes(rng, 4), DTYPES[i % 5]
    return (*shape, dtype), 2 * meta(*shape, dtype=dtype).nbytes


@pytest.mark.exercise("kv_cache", weight=2)
def test_one_sequence_more_does_not_fit(later, rng):
    """The largest batch is that of the last sequence that fits beside the weights"""
    for i in range(20):
        cache, each = a_cache(rng, i)
        weights, batch = int(rng.integers(1, 10**6)), int(rng.integers(1, 60))
        memory = weights + batch * each + int(rng.integers(1, each))
        later.inference.largest_cached_batch(memory, weights, *cache).equals(batch)


@pytest.mark.exercise("kv_cache")
def test_memory_is_full_to_the_last_byte(later, rng):
    """Memory may be full to the last byte; one byte less holds a sequence less"""
    for i in range(10):
        cache, each = a_cache(rng, i)
        batch, weights = (math.prod(huge(rng, 2)) for _ in range(2))
        if i % 2:  # less than 2**63 bytes, of which a float holds the first 53 bits
            batch, weights = int(rng.integers(2**61, 2**62)) // each, sizes(rng, 1)[0]
        for extra, expected in [(0, batch), (-1, batch - 1), (each - 1, batch), (each, batch + 1)]:
            memory = weights + batch * each + extra
            later.inference.largest_cached_batch(memory, weights, *cache).equals(expected)


@pytest.mark.exercise("kv_cache")
def test_weights_that_leave_no_room(later, rng):
    """If the weights fit and no sequence does, the batch is 0; weights may also take nothing"""
    for i in range(8):
        cache, each = a_cache(rng, i)
        weights = int(rng.integers(1, 10**9))
        for more, batch in [(0, 0), (each - 1, 0), (each, 1)]:
            later.inference.largest_cached_batch(weights + more, weights, *cache).equals(batch)
        later.inference.largest_cached_batch(0, 0, *cache).equals(0)
        *shape, _ = cache
        for dtype in DTYPES:
            later.inference.largest_cached_batch(3 * each, 0, *shape, dtype).equals(
                3 * each // (2 * meta(*shape, dtype=dtype).nbytes)
            )


@pytest.mark.exercise("kv_cache")
def test_refuses_weights_that_do_not_fit(later, rng):
    """Weights that are more than the memory are refused"""
    cache, each = a_cache(rng, int(rng.choice([0, 1, 3, 4])))  # not of 2 bytes
    weights = each * int(rng.integers(1, 99)) + 2
    for memory, too_much in [(weights - 1, weights), (0, weights), (10 * each, 20 * each)]:
        later.inference.largest_cached_batch(memory, too_much, *cache).raises(ValueError)
    later.inference.largest_cached_batch(weights + 7 * each, weights, *cache).equals(7)


# --- attention_variants ------------------------------------------------------


def counted(step):
    """What `step` returns, and the FLOPs that torch counts in it."""
    with FlopCounterMode(display=False) as counter:
        result = step()
    return result, counter.get_total_flops()


def attended(window, context):
    """How many tokens the last one attends to, by a mask where one fits, else by a slice."""
    if window is None:
        return context
    if context > 1000:
        return len(range(context)[-window:])
    return int(torch.ones(context, context).tril().triu(1 - window)[-1].count_nonzero())


def run_windowed(*, d_model, heads, kv_heads, head_dim, windows, context):
    """What torch counts when one token goes through layers of grouped-query attention."""
    width, kv_width = heads * head_dim, kv_heads * head_dim
    shapes = [(d_model, width), (d_model, kv_width), (d_model, kv_width), (width, d_model)]
    layers = [[meta(*shape, dtype=HALF) for shape in shapes] for _ in windows]
    x = meta(1, d_model, dtype=HALF)

    def step():
        cached = 0
        for (q, k, v, o), window in zip(layers, windows, strict=True):
            old = meta(kv_heads, attended(window, context) - 1, head_dim, dtype=HALF)
            new = ((x @ matrix).view(kv_heads, 1, head_dim) for matrix in (k, v))
            keys, values = (torch.cat([old, one], dim=1) for one in new)
            mixed = (x @ q).view(kv_heads, -1, head_dim) @ keys.mT @ values
            mixed.reshape(1, width) @ o  # the sum with x has the shape of x
            cached += keys.numel() + values.numel()
        return cached

    cached, flops = counted(step)
    parameters = sum(matrix.numel() for layer in layers for matrix in layer)
    return {"parameters": parameters, "cached": cached, "flops": flops}


def run_latent(
    draw, *, d_model, heads, kv_rank, nope_dim, rope_dim, value_dim, context, query_rank=None
):
    """What torch counts when one token goes through latent attention, in both ways.

    `draw` makes a tensor of a shape; if it has data, both ways must have the same output.
    """
    widths = [d_model, *([] if query_rank is None else [query_rank]), heads * (nope_dim + rope_dim)]
    to_queries = [draw(*sizes) for sizes in itertools.pairwise(widths)]
    down, out = draw(d_model, kv_rank + rope_dim), draw(heads * value_dim, d_model)
    to_keys, to_values = draw(heads, kv_rank, nope_dim), draw(heads, kv_rank, value_dim)
    x, old = draw(1, d_model), draw(context - 1, kv_rank + rope_dim)

    def attend(queries, keys, values):
        return (queries @ keys.mT / (nope_dim + rope_dim) ** 0.5).softmax(-1) @ values

    def step(expanded):
        queries = x
        for matrix in to_queries:
            queries = queries @ matrix
        queries = queries.view(heads, 1, nope_dim + rope_dim)
        cache = torch.cat([old, x @ down])
        each = cache.expand(heads, -1, -1)  # a cache for each head, all the same
        latents, rotated = each.split([kv_rank, rope_dim], dim=-1)
        if expanded:
            keys = torch.cat([torch.bmm(latents, to_keys), rotated], dim=-1)
            output = attend(queries, keys, torch.bmm(latents, to_values))
        else:
            nope, rope = queries.split([nope_dim, rope_dim], dim=-1)
            queries = torch.cat([torch.bmm(nope, to_keys.mT), rope], dim=-1)
            output = torch.bmm(attend(queries, each, latents), to_values)
        return output.reshape(1, -1) @ out, cache.numel()

    (one, cached), expanded = counted(lambda: step(expanded=True))
    (other, _), absorbed = counted(lambda: step(expanded=False))
    assert one.is_meta or torch.allclose(one, other)
    matrices = [*to_queries, down, to_keys, to_values, out]
    return {
        "parameters": sum(matrix.numel() for matrix in matrices),
        "cached": cached,
        "expanded_flops": expanded,
        "absorbed_flops": absorbed,
    }


def odd_sizes(rng, names):
    """Sizes that are all different."""
    return dict(zip(names, rng.permutation(np.arange(2, 30))[: len(names)].tolist(), strict=True))


def random_windows(rng):
    """Sizes of layers with windows, and the counts: first small ones, then huge ones."""
    for i in range(5):
        config = odd_sizes(rng, ("d_model", "kv_heads", "head_dim", "context"))
        config["heads"] = config["kv_heads"] * int(rng.integers(2, 5))
        if i == 4:
            big = huge_sizes(rng, d_model=30, head_dim=18, context=36)
            config |= {**big, "heads": 6 * 7, "kv_heads": 7}
        context = config["context"]
        edges = [1, context - 1, context, context + 1, int(rng.integers(1, 2 * context)), 2]
        windows = [None, None, *edges]
        config["windows"] = [windows[n] for n in rng.permutation(8)[: (1, 3, 8, 8, 8)[i]]]
        if i == 0:
            config["windows"] = [None]
        yield config, run_windowed(**config)


def huge_sizes(rng, **bits):
    return {name: int(rng.integers(2**n, 2 ** (n + 1))) | 1 for name, n in bits.items()}


def draw_small(torch_rng, *shape):
    return torch.randn(shape, generator=torch_rng, dtype=torch.float64) / 8


def random_latents(rng, torch_rng):
    """Sizes of a layer with latents, and the counts: first small ones, then huge ones."""
    names = ("d_model", "heads", "kv_rank", "nope_dim", "rope_dim", "value_dim", "context")
    for i in range(6):
        config = odd_sizes(rng, (*names, "query_rank")[: 7 + i % 2])
        draw = functools.partial(draw_small, torch_rng)
        if i >= 4:
            bits = {"d_model": 30, "kv_rank": 17, "nope_dim": 15, "rope_dim": 14, "context": 35}
            config |= huge_sizes(rng, **bits, value_dim=16, heads=5)
            draw = functools.partial(meta, dtype=HALF)
        yield config, run_latent(draw, **config)


def has_ints(found, *names):
    found = expect(found).is_a(dict)
    return [expect(found.get(name), f'"{name}"').is_a(int) for name in names]


@pytest.mark.exercise("attention_variants")
def test_matrices_of_heads_of_any_width(later, rng):
    """Parameters are those of matrices made with torch, for heads of any width and all layers"""
    for config, counts in random_windows(rng):
        asked = later.inference.windowed_attention(**config)
        asked.has({"parameters": counts["parameters"]})


@pytest.mark.exercise("attention_variants", weight=1.5)
def test_a_window_limits_the_cache(later, rng):
    """The cache has the keys and values of the tokens that a mask of the window lets through"""
    for config, counts in random_windows(rng):
        later.inference.windowed_attention(**config).has({"cached": counts["cached"]})


@pytest.mark.exercise("attention_variants", weight=1.5)
def test_flops_within_windows(impl, rng):
    """The FLOPs beside 2 for each parameter are those that torch counts for tokens in the window"""
    for config, counts in random_windows(rng):
        found = impl.inference.windowed_attention(**config)
        flops, parameters = has_ints(found, "flops", "parameters")
        expect(flops - 2 * parameters, f"attention's FLOPs with {config}").equals(
            counts["flops"] - 2 * counts["parameters"]
        )


@pytest.mark.exercise("attention_variants")
def test_matrices_of_latent_attention(later, rng, torch_rng):
    """Parameters are those of matrices made with torch, with and without a query rank"""
    for config, counts in random_latents(rng, torch_rng):
        asked = later.inference.latent_attention(**config)
        asked.has({"parameters": counts["parameters"]})


@pytest.mark.exercise("attention_variants")
def test_what_latent_attention_keeps(later, rng, torch_rng):
    """The cache has as many elements as what both ways of a real step need of all tokens"""
    for config, counts in random_latents(rng, torch_rng):
        later.inference.latent_attention(**config).has({"cached": counts["cached"]})


@pytest.mark.exercise("attention_variants")
def test_flops_of_expanded_latents(impl, rng, torch_rng):
    """The expanded way's FLOPs beside 2 for each parameter are those that torch counts in a step"""
    check_latent_flops(impl, "expanded_flops", rng, torch_rng)


@pytest.mark.exercise("attention_variants")
def test_flops_of_absorbed_matrices(impl, rng, torch_rng):
    """The absorbed way's FLOPs beside 2 for each parameter are those that torch counts in a step"""
    check_latent_flops(impl, "absorbed_flops", rng, torch_rng)


def check_latent_flops(impl, name, rng, torch_rng):
    """Compares FLOPs, but not the parameters in them: these are another test's."""
    for config, counts in random_latents(rng, torch_rng):
        found = impl.inference.latent_attention(**config)
        flops, parameters = has_ints(found, name, "parameters")
        expect(flops - 2 * parameters, f"{name} beside the parameters', with {config}").equals(
            counts[name] - 2 * counts["parameters"]
        )


# --- prefill_decode_flops ----------------------------------------------------


def check_flops(later, phase, config, tokens, with_total=False, **given):
    """Compares a prefill of so many tokens, or the step of the last of them, with a decoder."""
    flops = Decoder(**config, **given).run_phase(phase, tokens).flops
    asked = getattr(later.inference, f"{phase}_flops")
    found = asked(**config, **{PHASES[phase]: tokens}, **given)
    if with_total:
        found.equals({**flops, "total": sum(flops.values())})
    else:  # what the total is, is for other tests to say
        found.has(flops)


def check_phase(later, rng, phase):
    for batch in (1, 2, 5):
        config = random_decoder(rng)
        for tokens in (int(rng.integers(3, 40)), int(rng.choice([1, 2, 64, 65]))):
            check_flops(later, phase, config, tokens, with_total=True, batch=batch)
    check_flops(later, phase, random_decoder(rng), int(rng.integers(3, 40)), with_total=True)


@pytest.mark.exercise("prefill_decode_flops", weight=2)
def test_prefill_takes_what_torch_counts(later, rng):
    """Prefill takes the FLOPs that torch counts when a decoder reads its prompts, by part and in
    total"""
    check_phase(later, rng, "prefill")


@pytest.mark.exercise("prefill_decode_flops", weight=2)
def test_a_step_takes_what_torch_counts(later, rng):
    """A decode step takes the FLOPs that torch counts when a decoder uses its cache, by part and in
    total"""
    check_phase(later, rng, "decode")


@pytest.mark.exercise("prefill_decode_flops")
def test_query_heads_that_share_keys(later, rng):
    """With fewer key heads, fewer weights are multiplied, and attention takes as much"""
    for heads, kv_heads in [(6, 2), (6, 3), (4, 1), (2, 2), (49, 7), (49, 1)]:
        config = random_decoder(rng, d_model=49 * 12, heads=heads, kv_heads=kv_heads, layers=1)
        for phase, gated in itertools.product(PHASES, (True, False)):
            for tokens in (1, int(rng.integers(2, 9))):
                check_flops(later, phase, config, tokens, gated=gated)


@pytest.mark.exercise("prefill_decode_flops")
def test_gates_in_prefill_and_decode(later, rng):
    """With and without a gate, the FLOPs are those that torch counts"""
    config = random_decoder(rng)
    for phase, gated in itertools.product(PHASES, (True, False)):
        check_flops(later, phase, config, int(rng.integers(2, 30)), gated=gated)


@pytest.mark.exercise("prefill_decode_flops")
def test_sizes_of_zero_are_counted(later, rng):
    """Sizes of 0 are no error: what they leave is counted"""
    for phase, size in itertools.product(PHASES, ("vocab", "layers", "d_ff", "d_model")):
        config = random_decoder(rng, **{size: 0})
        more = {"batch": 2, "kv_heads": config["heads"] // 2, "gated": bool(rng.integers(2))}
        check_flops(later, phase, config, int(rng.integers(2, 9)), **more)
    for phase, batch in itertools.product(PHASES, (0, 1)):
        check_flops(later, phase, random_decoder(rng), int(rng.integers(2, 9)), batch=batch)


@pytest.mark.exercise("prefill_decode_flops")
def test_huge_decoders_are_exact(later, rng):
    """FLOPs beyond 64 bits are exact integers, of sizes within 64 bits and beyond them"""
    for i in range(6):
        vocab, layers, d_ff, tokens, batch, width = (
            (n, n >> 22, n << 20 | 1)[i % 3] for n in huge(rng, 6)
        )
        d_model = 6 * width
        shape = {"vocab": vocab, "layers": layers, "d_model": d_model, "heads": 6, "d_ff": d_ff}
        shape |= {"kv_heads": 2, "batch": batch}
        inner = layers * d_model * (2 * d_model + 4 * width + 3 * d_ff)
        for phase, rows in [("prefill", tokens), ("decode", 1)]:
            weights = 2 * batch * (rows * inner + d_model * vocab)
            attention = 4 * batch * layers * rows * tokens * d_model
            asked = getattr(later.inference, f"{phase}_flops")
            asked(**shape, **{PHASES[phase]: tokens}).equals(
                {"weights": weights, "attention": attention, "total": weights + attention}
            )


# --- decode_roofline ---------------------------------------------------------


def check_close(asked, expected):
    """Compares the result of a later call with fractions."""
    asked.close({name: float(number) for name, number in expected.items()}, rtol=1e-12)


def check_intensity(later, rng, phase, **settings):
    """Compares with a decoder whose weights and cache have different dtypes."""
    for kv_heads in 2 * [1, 2, 3, 6]:
        width = 6 * int(rng.choice([5, 7, 9]))
        config = random_decoder(rng, d_model=width, heads=6, **settings)
        batch, tokens = rng.integers(2, 40, size=2).tolist()
        dtypes = [DTYPES[int(i)] for i in rng.permutation(4)[:2]]
        decoder = Decoder(**config, kv_heads=kv_heads, batch=batch, dtypes=dtypes)
        expected = decoder.run_phase(phase, tokens).intensity()
        new, widths = tokens if phase == "prefill" else 1, [dtype.itemsize for dtype in dtypes]
        check_close(later.inference.step_intensity(batch, new, 6, kv_heads, *widths), expected)


@pytest.mark.exercise("decode_roofline")
def test_intensity_of_a_decoders_step(later, rng):
    """In a decode step, each part does the FLOPs that torch counts on the bytes that are there"""
    check_intensity(later, rng, "decode")


@pytest.mark.exercise("decode_roofline")
def test_intensity_of_prefill(later, rng):
    """In prefill, each part does the FLOPs that torch counts on the bytes that are there"""
    check_intensity(later, rng, "prefill", vocab=0)  # without a head for the last token


@pytest.mark.exercise("decode_roofline")
def test_intensity_with_less_than_a_byte(later, rng):
    """Weights and elements of the cache may take less than a byte, or a fraction of one"""
    for i in range(12):
        widths = WIDTHS[i % len(WIDTHS)], float(rng.uniform(0.1, 3))
        shared, kv_heads, new = rng.integers(1, 20, size=3).tolist()
        (batch,) = huge(rng, 1)
        check_close(
            later.inference.step_intensity(batch, new, shared * kv_heads, kv_heads, *widths),
            {
                "weights": 2 * batch * new / Fraction(widths[0]),
                "attention": 2 * new * shared / Fraction(widths[1]),
            },
        )


def least(flops, moved, batch, peak, bandwidth):
    """Each part's seconds, their sum and the speed, in fractions."""
    peak, bandwidth = Fraction(peak), Fraction(bandwidth)
    seconds = {
        part: max(Fraction(flops[part]) / peak, Fraction(moved[part]) / bandwidth) for part in flops
    }
    total = sum(seconds.values())
    return {**seconds, "seconds": total, "tokens_per_second": batch / total}


@pytest.mark.exercise("decode_roofline", weight=2)
def test_least_time_of_a_decoders_step(later, rng):
    """Each part takes as long as its slower side, by the FLOPs and bytes of a real decoder; the
    speed follows"""
    for wide in (True, False) * 3:  # whether the weights have the higher intensity
        config = random_decoder(rng, d_model=6 * int(rng.choice([3, 5, 7])), heads=6)
        kv_heads, batch = (int(rng.choice([2, 3, 6])), 13) if wide else (1, 2)
        context, dtype = int(rng.integers(2, 40)), DTYPES[int(rng.integers(3))]
        decoder = Decoder(**config, kv_heads=kv_heads, batch=batch, dtypes=(dtype, dtype))
        intensities = sorted(decoder.run_phase("decode", context).intensity().values())
        for ridge in map(float, (intensities[0] / 3, sum(intensities) / 2, 3 * intensities[1])):
            bandwidth = float(rng.uniform(1e11, 1e13))
            asked = later.inference.decode_step(
                batch=batch,
                context=context,
                parameters=decoder.parameters,
                layers=config["layers"],
                heads=6,
                kv_heads=kv_heads,
                head_dim=decoder.head_dim,
                bytes_per_weight=dtype.itemsize,
                bytes_per_cached=dtype.itemsize,
                peak_flops=ridge * bandwidth,
                bandwidth=bandwidth,
            )
            device = ridge * bandwidth, bandwidth
            check_close(asked, least(decoder.flops, decoder.moved, batch, *device))


def random_step(rng, **settings):
    """A step of the size of real models, without its peak; weights have the higher intensity."""
    kv_heads = int(rng.choice([1, 4, 8]))
    return {
        "batch": int(rng.integers(100, 2000)),
        "context": int(rng.integers(2, 10**5)),
        "parameters": int(rng.integers(10**9, 10**12)),
        "layers": int(rng.integers(2, 150)),
        "heads": kv_heads * int(rng.choice([2, 3, 8])),
        "kv_heads": kv_heads,
        "head_dim": int(rng.choice([63, 64, 128, 192])),
        "bytes_per_weight": 2.0,
        "bytes_per_cached": 1.0,
        "bandwidth": float(rng.uniform(1e11, 1e13)),
        **settings,
    }


def check_steps(later, rng, **settings):
    """A step where both parts are bound by compute, where only one is, and where none is."""
    step = random_step(rng, **settings)
    pairs = step["batch"] * step["context"] * step["layers"] * step["head_dim"]
    flops = {
        "weights": 2 * step["batch"] * step["parameters"],
        "attention": 4 * pairs * step["heads"],
    }
    moved = {
        "weights": step["parameters"] * Fraction(step["bytes_per_weight"]),
        "attention": 2 * pairs * step["kv_heads"] * Fraction(step["bytes_per_cached"]),
    }
    low, high = sorted(float(flops[part] / moved[part]) for part in flops)
    for ridge in (0.3 * low, math.sqrt(low * high), 3 * high):
        step["peak_flops"] = ridge * step["bandwidth"]
        expected = least(flops, moved, step["batch"], step["peak_flops"], step["bandwidth"])
        check_close(later.inference.decode_step(**step), expected)


@pytest.mark.exercise("decode_roofline")
def test_weights_and_cache_of_different_widths(later, rng):
    """Weights and cache may have different formats, also of fractions of a byte"""
    for weight, cached in itertools.product(WIDTHS, repeat=2):
        check_steps(later, rng, bytes_per_weight=weight, bytes_per_cached=cached)


@pytest.mark.exercise("decode_roofline")
def test_steps_of_one_and_of_many(later, rng):
    """Steps of one sequence, token or head, of huge counts and of tiny widths or bandwidths are
    like others"""
    counts = ("batch", "context", "parameters", "layers", "head_dim")
    for name in counts:
        for size in (1, int(rng.integers(2**62, 2**63)) * 2 + 1):
            check_steps(later, rng, **{name: size})
    for settings in (
        {"heads": 1, "kv_heads": 1},
        *({"bandwidth": bandwidth} for bandwidth in (0.25, 1e-13)),
        {"bytes_per_weight": 1e-12, "bytes_per_cached": 1e-11},
        {**dict.fromkeys(counts, 1), "bandwidth": 1e18},  # less than a nanosecond
    ):
        check_steps(later, rng, **settings)


def is_bound_by_compute(batch, width, peak, bandwidth):
    """Whether a weight's FLOPs take at least as long as its bytes, in fractions."""
    return 2 * batch / Fraction(peak) >= Fraction(width) / Fraction(bandwidth)


@pytest.mark.exercise("decode_roofline")
def test_the_first_batch_that_is_bound_by_compute(impl, rng):
    """The weights' part is bound by compute at this batch, and not at one less"""
    for i in range(32):
        width, bandwidth = WIDTHS[i // 4], float(rng.uniform(1e11, 1e13))
        # Between two whole numbers, far enough from both for any order of operations in floats.
        batch = int(rng.integers(10 ** [0, 1, 3, 5][i % 4])) + float(rng.uniform(0.01, 0.99))
        batch *= 1e-12 if i == 0 else 1
        peak = 2 * batch * bandwidth / width
        found = impl.inference.compute_bound_batch(width, peak, bandwidth)
        what = f"{found} sequences at {peak} FLOP/s, {bandwidth} B/s, {width} B"
        expect(found, "the batch").is_a(int)
        bound = found >= 1 and is_bound_by_compute(found, width, peak, bandwidth)
        less = found > 1 and is_bound_by_compute(found - 1, width, peak, bandwidth)
        expect([bound, less], f"whether {what}, and one less, are bound").equals([True, False])
