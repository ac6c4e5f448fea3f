"""FLOPs, compared with torch's FlopCounterMode on real layers and on a whole transformer.

Counts are exact. Days and utilization are a few multiplications and a division in float64, and must
agree with fractions to 1e-12.
"""

import contextlib
import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from assignment.expect import expect

AWKWARD = [1, 2, 3, 17, 63, 64, 65]


def sizes(rng, count):
    return rng.choice(AWKWARD, size=count).tolist()


def mlp_sizes(rng, layers):
    """A batch size, and widths that differ: that layers of equal widths count is another rule."""
    return int(rng.choice(AWKWARD)), rng.permutation(AWKWARD)[: layers + 1].tolist()


def huge(rng, count, low=2**30, high=2**40):
    """Odd numbers, of which a few multiplied are beyond 64 bits."""
    return [int(n) | 1 for n in rng.integers(low, high, size=count)]


def counted(function):
    """FLOPs of `function()` as torch counts them, and its result.

    With few elements "meta" is no gain: torch counts there by its own Python, which needs sympy.
    """
    with FlopCounterMode(display=False) as counter:
        result = function()
    return counter.get_total_flops(), result


def counted_mlp(batch, widths, input_needs_grad=True):
    """FLOPs of the forward and the backward pass of a real MLP."""
    layers = [nn.Linear(*pair, bias=False) for pair in itertools.pairwise(widths)]
    model = nn.Sequential(layers[0], *(m for layer in layers[1:] for m in (nn.ReLU(), layer)))
    x = torch.ones(batch, widths[0], requires_grad=input_needs_grad)
    forward, y = counted(lambda: model(x))
    return forward, counted(lambda: y.sum().backward())[0]


@pytest.mark.exercise("matmul_flops")
def test_a_product_takes_what_torch_counts(later, rng):
    """A matrix product takes the FLOPs that torch counts for it, an int"""
    for _ in range(25):
        B, D, K = rng.integers(1, 200, size=3).tolist()
        left, right = torch.empty(B, D), torch.empty(D, K)
        flops, _ = counted(lambda left=left, right=right: left @ right)
        later.flops.matmul_flops(B, D, K).equals(flops)


@pytest.mark.exercise("matmul_flops")
def test_huge_products_are_exact(later, rng):
    """A matrix product's FLOPs beyond 64 bits are exact integers"""
    for _ in range(10):
        B, D, K = huge(rng, 3)
        later.flops.matmul_flops(B, D, K).equals(2 * B * D * K)


@pytest.mark.exercise("matmul_flops")
def test_a_product_without_elements_is_free(later, rng):
    """A matrix product with any size of 0 takes no FLOPs"""
    for _ in range(5):
        given = sizes(rng, 3)
        later.flops.matmul_flops(*given).equals(2 * given[0] * given[1] * given[2])
        given[int(rng.integers(3))] = 0
        later.flops.matmul_flops(*given).equals(0)


@pytest.mark.exercise("matmul_flops")
def test_a_layer_forward(later, rng):
    """The forward pass of a linear layer takes the FLOPs that torch counts"""
    for _ in range(12):
        batch, d_in, d_out = sizes(rng, 3)
        flops, _ = counted_mlp(batch, [d_in, d_out])
        later.flops.linear_forward_flops(batch, d_in, d_out).equals(flops)


@pytest.mark.exercise("matmul_flops", weight=2)
def test_a_layer_backward(later, rng):
    """The backward pass takes the FLOPs that torch counts, with and without the input's gradient"""
    for needs_grad in [True, False] * 6:
        batch, d_in, d_out = sizes(rng, 3)
        _, flops = counted_mlp(batch, [d_in, d_out], needs_grad)
        later.flops.linear_backward_flops(batch, d_in, d_out, needs_grad).equals(flops)


def check_layer(later, batch, d_in, d_out):
    product = 2 * batch * d_in * d_out
    later.flops.linear_forward_flops(batch, d_in, d_out).equals(product)
    later.flops.linear_backward_flops(batch, d_in, d_out, False).equals(product)
    later.flops.linear_backward_flops(batch, d_in, d_out, True).equals(2 * product)


@pytest.mark.exercise("matmul_flops")
def test_a_huge_layer_is_exact(later, rng):
    """A layer's FLOPs beyond 64 bits are exact integers; a size of 0 is no error"""
    for _ in range(5):
        check_layer(later, *huge(rng, 3))
    for given in [(0, 2, 3), (1, 0, 3), (1, 2, 0)]:
        check_layer(later, *given)


def check_counted(later, rng, input_needs_grad):
    """Compares backward passes at every depth with what torch counts."""
    for layers in range(1, 7):
        batch, widths = mlp_sizes(rng, layers)
        _, flops = counted_mlp(batch, widths, input_needs_grad)
        later.flops.mlp_backward_flops(batch, widths, input_needs_grad).equals(flops)


@pytest.mark.exercise("mlp_flops", weight=0.5)
def test_an_mlp_forward(later, rng):
    """The forward pass of an MLP takes the FLOPs that torch counts, an int, at every depth"""
    for layers in range(1, 7):
        batch, widths = mlp_sizes(rng, layers)
        later.flops.mlp_forward_flops(batch, widths).equals(counted_mlp(batch, widths)[0])


@pytest.mark.exercise("mlp_flops", weight=0.5)
def test_an_mlp_backward_with_the_inputs_gradient(later, rng):
    """The backward pass of an MLP with the input's gradient takes the FLOPs that torch counts"""
    check_counted(later, rng, True)


@pytest.mark.exercise("mlp_flops", weight=2)
def test_an_mlp_backward_without_the_inputs_gradient(later, rng):
    """The backward pass of an MLP without the input's gradient takes the FLOPs that torch counts"""
    check_counted(later, rng, False)


def check_mlp(later, batch, widths):
    layers = [2 * batch * d_in * d_out for d_in, d_out in itertools.pairwise(widths)]
    later.flops.mlp_forward_flops(batch, widths).equals(sum(layers))
    later.flops.mlp_backward_flops(batch, widths, True).equals(2 * sum(layers))
    later.flops.mlp_backward_flops(batch, widths, False).equals(2 * sum(layers) - layers[0])


@pytest.mark.exercise("mlp_flops")
def test_layers_of_equal_widths(later, rng):
    """Each of several layers with the same widths counts, forward and backward"""
    for layers in (2, 3, 6):
        batch, width, other = rng.permutation(AWKWARD)[:3].tolist()
        check_mlp(later, batch, [other, *[width] * layers])
        check_mlp(later, batch, [width, other] * layers)


@pytest.mark.exercise("mlp_flops")
def test_a_huge_mlp_is_exact(later, rng):
    """An MLP's FLOPs are exact for sizes beyond 64 bits and of 0, the first layer's, too"""
    for _ in range(5):
        batch, *widths = huge(rng, 4)
        for first in ([], [0], [widths[0], 0]):  # the first layer may cost nothing
            check_mlp(later, batch, (*first, *widths))
    for batch, *widths in [(0, 3, 5), (2, 3, 0, 5), (2, 0, 5, 7)]:
        check_mlp(later, batch, widths)


# --- einsum_flops -------------------------------------------------------------

NAMES = ["b", "batch", "seq", "seq_q", "d", "d_model", "dd", "k", "K", "heads", "h2", "_x"]


def axis_names(rng, count):
    return [NAMES[i] for i in rng.permutation(len(NAMES))[:count]]


def spelled(rng, operands, result):
    """The pattern, with random blanks where they are allowed."""
    blank = lambda least: " " * int(rng.integers(least, 3))  # noqa: E731
    texts = [blank(0) + blank(1).join(axes) + blank(0) for axes in (*operands, result)]
    return ",".join(texts[:-1]) + "->" + texts[-1]


def shuffled(rng, items):
    return [items[i] for i in rng.permutation(len(items))]


def visits(axes, sizes):
    """How often the body of a loop over all axes runs, counted by running it."""
    return sum(1 for _ in itertools.product(*(range(sizes[axis]) for axis in axes)))


def torch_counts(operands, result, sizes):
    """FLOPs of torch.einsum, whose axes are single letters."""
    letter = {axis: chr(ord("a") + i) for i, axis in enumerate(sizes)}
    texts = ["".join(letter[axis] for axis in axes) for axes in (*operands, result)]
    tensors = [torch.empty([sizes[a] for a in axes]) for axes in operands]
    flops, _ = counted(lambda: torch.einsum(",".join(texts[:-1]) + "->" + texts[-1], *tensors))
    return flops


def check_einsum(later, rng, operands, result, sizes, expected):
    pattern = spelled(rng, operands, result)
    shapes = [[sizes[axis] for axis in axes] for axes in operands]
    later.flops.einsum_flops(pattern, *shapes).equals(expected)


def random_contraction(rng):
    """Two operands in which every axis is shared or kept, and at least one is summed over."""
    axes = axis_names(rng, int(rng.integers(1, 7)))
    sizes = {axis: int(rng.integers(2, 9)) for axis in axes}
    kinds = {axis: int(rng.integers(4)) if i else 0 for i, axis in enumerate(axes)}
    left = [axis for axis in axes if kinds[axis] != 3]
    right = [axis for axis in axes if kinds[axis] != 2]
    result = [axis for axis in axes if kinds[axis] != 0]
    return [shuffled(rng, left), shuffled(rng, right)], shuffled(rng, result), sizes


@pytest.mark.exercise("einsum_flops", weight=2)
def test_a_product_of_two_operands_takes_what_torch_counts(later, rng):
    """Two operands with a shared axis that is summed over take the FLOPs that torch counts"""
    for _ in range(15):
        operands, result, sizes = random_contraction(rng)
        flops = torch_counts(operands, result, sizes)
        check_einsum(later, rng, operands, result, sizes, flops)


def check_einsum_of(later, rng, count):
    """Checks an einsum of any operands, with a loop over all axes that is run."""
    axes = axis_names(rng, 4)
    sizes = {axis: int(rng.integers(1, 6)) for axis in axes}
    operands = [shuffled(rng, axes)[: int(rng.integers(1, 5))] for _ in range(count)]
    used = sorted({axis for operand in operands for axis in operand})
    result = shuffled(rng, used)[: int(rng.integers(len(used) + 1))]
    check_einsum(later, rng, operands, result, sizes, count * visits(used, sizes))


@pytest.mark.exercise("einsum_flops", weight=2)
def test_every_operand_costs_one_flop_at_each_visit(later, rng):
    """Each operand, also a single one, takes one FLOP for every combination of all axes"""
    for count in (1, 1, 2, 2, 3, 3, 4, 5):
        check_einsum_of(later, rng, count)


@pytest.mark.exercise("einsum_flops")
def test_axes_of_one_operand_and_outer_products(later, rng):
    """Every axis multiplies the FLOPs by its size, in one operand or in both, summed or kept"""
    for _ in range(8):
        shared, left, right = axis_names(rng, 3)
        sizes = {axis: int(rng.integers(2, 7)) for axis in (shared, left, right)}
        both = [[left, shared], [shared, right]]
        every = visits(sizes, sizes)
        for result in ([], [left], [right, left], [shared], [left, shared, right]):
            check_einsum(later, rng, both, result, sizes, 2 * every)
            check_einsum(later, rng, [axes[::-1] for axes in both], result, sizes, 2 * every)
            check_einsum(later, rng, [[left, shared, right]], result, sizes, every)
        outer = 2 * visits([left, right], sizes)
        check_einsum(later, rng, [[left], [right]], [right, left], sizes, outer)
        beyond_ascii = {"größe": sizes[left], "λ_1": sizes[right]}  # identifiers, too
        check_einsum(later, rng, [["größe"], ["λ_1"]], ["λ_1"], beyond_ascii, outer)


@pytest.mark.exercise("einsum_flops")
def test_a_diagonal_is_visited_once(later, rng):
    """An axis that occurs twice in an operand counts once, as in torch"""
    for _ in range(8):
        twice, other = axis_names(rng, 2)
        sizes = {twice: int(rng.integers(2, 9)), other: int(rng.integers(2, 9))}
        operands, result = [[twice, twice], [other, twice]], [other]
        flops = torch_counts(operands, result, sizes)
        check_einsum(later, rng, operands, result, sizes, flops)
        check_einsum(later, rng, [[twice, other, twice]], result, sizes, flops // 2)


@pytest.mark.exercise("einsum_flops")
def test_scalars_are_operands(later, rng):
    """An operand without axes is a scalar, and counts as an operand"""
    for _ in range(8):
        (axis,) = axis_names(rng, 1)
        n = int(rng.integers(2, 999))
        check_einsum(later, rng, [[], [axis]], [axis], {axis: n}, 2 * n)
        check_einsum(later, rng, [[axis], [], []], [], {axis: n}, 3 * n)
        check_einsum(later, rng, [[axis], [axis]], [], {axis: n}, 2 * n)
    for count in (1, 2, 3):
        check_einsum(later, rng, [[]] * count, [], {}, count)


@pytest.mark.exercise("einsum_flops")
def test_an_einsum_without_elements_is_free(later, rng):
    """If any axis has size 0 there are no FLOPs"""
    for _ in range(8):
        check_einsum_of(later, rng, int(rng.integers(1, 4)))
        operands, result, sizes = random_contraction(rng)
        sizes[shuffled(rng, list(sizes))[0]] = 0
        check_einsum(later, rng, operands, result, sizes, 0)


@pytest.mark.exercise("einsum_flops")
def test_huge_einsums_are_exact(later, rng):
    """An einsum's FLOPs beyond 64 bits are exact integers, each time that a pattern is used"""
    a, b, c = axis_names(rng, 3)
    for axes in ([[a, b], [c, b]], [[a, b], [c, b], [b, a]]):
        pattern = spelled(rng, axes, [a, c])
        for _ in range(5):
            size = dict(zip((a, b, c), huge(rng, 3), strict=True))
            shapes = [[size[axis] for axis in operand] for operand in axes]
            flops = len(axes) * math.prod(size.values())
            later.flops.einsum_flops(pattern, *shapes).equals(flops)


# --- elementwise_flops --------------------------------------------------------


def random_elements(rng):
    """A shape, and its number of elements as torch counts them."""
    shape = sizes(rng, int(rng.integers(1, 6)))
    return shape, torch.empty(shape, device="meta").numel()


@pytest.mark.exercise("matmul_flops")
def test_every_element_costs_the_same(later, rng):
    """A shape takes the FLOPs of one element times its number of elements"""
    for _ in range(25):
        (shape, elements), each = random_elements(rng), int(rng.integers(2, 50))
        later.flops.elementwise_flops(shape, each).equals(elements * each)


@pytest.mark.exercise("matmul_flops")
def test_an_element_costs_one_flop(later, rng):
    """By default an element takes one FLOP"""
    for _ in range(10):
        shape, elements = random_elements(rng)
        later.flops.elementwise_flops(shape).equals(elements)


@pytest.mark.exercise("matmul_flops")
def test_a_scalar_is_an_element(later, rng):
    """A scalar, of shape (), has one element"""
    for _ in range(5):
        (shape, elements), each = random_elements(rng), int(rng.integers(2, 1000))
        later.flops.elementwise_flops((), each).equals(each)
        later.flops.elementwise_flops([], each).equals(each)
        later.flops.elementwise_flops(shape, each).equals(elements * each)


@pytest.mark.exercise("matmul_flops")
def test_no_elements_or_no_work_is_free(later, rng):
    """Elementwise operations take no FLOPs with a size of 0, or with 0 FLOPs per element"""
    for _ in range(5):
        shape, elements = random_elements(rng)
        later.flops.elementwise_flops(shape, 7).equals(7 * elements)
        later.flops.elementwise_flops(shape, 0).equals(0)
        shape[int(rng.integers(len(shape)))] = 0
        later.flops.elementwise_flops(shape, 7).equals(0)


@pytest.mark.exercise("matmul_flops")
def test_huge_shapes_are_exact(later, rng):
    """FLOPs on huge shapes, beyond 64 bits, are exact integers"""
    for _ in range(5):
        shape = huge(rng, 3, 2**40, 2**50)
        later.flops.elementwise_flops(shape, 3).equals(3 * math.prod(shape))


# --- transformers -------------------------------------------------------------


class Transformer(nn.Module):
    """A complete transformer made of torch's own parts."""

    def __init__(self, vocab, layers, d_model, heads, d_ff, kv_heads=None, gated=True, tied=False):
        super().__init__()
        self.heads, self.kv_heads = heads, kv_heads or heads
        square, kv = (d_model, d_model), (d_model, d_model // heads * self.kv_heads)
        up, down = [(d_model, d_ff)] * (2 if gated else 1), (d_ff, d_model)
        every = lambda *pairs: nn.ModuleList(nn.Linear(*pair, bias=False) for pair in pairs)  # noqa: E731
        self.embedding = nn.Embedding(vocab, d_model)
        self.attention = nn.ModuleList(every(square, kv, kv, square) for _ in range(layers))
        self.feed_forward = nn.ModuleList(every(*up, down) for _ in range(layers))
        self.norms = nn.ModuleList(nn.RMSNorm(d_model) for _ in range(2 * layers + 1))
        self.lm_head = nn.Linear(d_model, vocab, bias=False)
        if tied:
            self.lm_head.weight = self.embedding.weight

    def attend(self, x, to_q, to_k, to_v, output, meter):
        with meter("qkv"):
            q, k, v = to_q(x), to_k(x), to_v(x)
        q = q.unflatten(-1, (self.heads, -1)).transpose(1, 2)
        k, v = (y.unflatten(-1, (self.kv_heads, -1)).transpose(1, 2) for y in (k, v))
        k, v = (y.repeat_interleave(self.heads // self.kv_heads, dim=1) for y in (k, v))
        with meter("scores"):
            scores = q @ k.mT
        with meter("values"):
            y = scores.softmax(-1) @ v
        with meter("output"):
            return output(y.transpose(1, 2).flatten(2))

    def feed(self, matrices, x):
        up, *gate, down = matrices
        return down(gate[0](x) * up(x) if gate else up(x).relu())

    def forward(self, tokens, meter):
        x, norms = self.embedding(tokens), iter(self.norms)
        for attention, feed_forward in zip(self.attention, self.feed_forward, strict=True):
            x = x + self.attend(next(norms)(x), *attention, meter)
            y = next(norms)(x)
            with meter("feed_forward"):
                x = x + self.feed(feed_forward, y)
        with meter("lm_head"):
            return self.lm_head(next(norms)(x))


def with_total(parts):
    """The parts, some of which may have changed, and their sum."""
    parts = {name: count for name, count in parts.items() if name != "total"}
    return {**parts, "total": sum(parts.values())}


def random_transformer(rng, **settings):
    """Sizes that are all different, and mostly odd."""
    heads = int(rng.choice([2, 4, 6]))
    odd = [int(n) for n in rng.permutation([3, 5, 7, 9, 11, 13, 15, 17])]
    return {
        "vocab": 8 * odd[0] + 1,
        "layers": int(rng.integers(2, 4)),
        "d_model": heads * odd[1],
        "heads": heads,
        "d_ff": 4 * odd[2],
        **settings,
    }


def counted_parameters(config):
    """Parameters of a real model, each counted at its first occurrence."""
    model = Transformer(**config)
    counts = dict.fromkeys(["embedding", "attention", "feed_forward", "norms", "lm_head"], 0)
    for name, parameter in model.named_parameters():
        counts[name.partition(".")[0]] += parameter.numel()
    return with_total(counts)


def counted_forward(config, seq_len, batch=1):
    """FLOPs of a real forward pass, as torch counts them, by component and in total."""
    counts = Counter()

    @contextlib.contextmanager
    def meter(part):
        with FlopCounterMode(display=False) as counter:
            yield
        counts[part] += counter.get_total_flops()

    Transformer(**config)(torch.zeros(batch, seq_len, dtype=torch.long), meter)
    return with_total(counts)


def check_parameters(later, config, part=""):
    """Compares all parts, or one: a mistake in another one is another test's."""
    expected, asked = counted_parameters(config), later.flops.transformer_parameters(**config)
    if part:
        asked.has({part: expected[part]})
    else:
        asked.equals(expected)


@pytest.mark.exercise("transformer_parameters", weight=1.5)
def test_a_transformers_parameters(later, rng):
    """Each component and the total have the parameters of a model made with torch"""
    for _ in range(4):
        check_parameters(later, random_transformer(rng))


@pytest.mark.exercise("transformer_parameters")
def test_fewer_key_heads_have_fewer_parameters(later, rng):
    """With fewer key heads, attention has the parameters of that of a model made with torch"""
    config = random_transformer(rng, d_model=49 * 12)
    for heads, kv_heads in [(6, 2), (6, 3), (4, 1), (2, 2), (49, 1), (49, 7), (6, 2)]:
        check_parameters(later, {**config, "heads": heads, "kv_heads": kv_heads}, "attention")


@pytest.mark.exercise("transformer_parameters")
def test_a_feed_forward_with_and_without_a_gate(later, rng):
    """With and without a gate, the feed-forward part has the parameters of a model made with
    torch"""
    config = random_transformer(rng)
    for gated in (True, False, True):
        check_parameters(later, {**config, "gated": gated}, "feed_forward")


@pytest.mark.exercise("transformer_parameters")
def test_a_tied_head_shares_its_parameters(later, rng):
    """A tied lm_head adds no parameters, and an untied one does"""
    config = random_transformer(rng)
    for tied in (True, False, True):
        check_parameters(later, {**config, "tied": tied}, "lm_head")


@pytest.mark.exercise("transformer_parameters")
def test_a_transformer_without_layers(later, rng):
    """Sizes of 0 are no error: what they leave is counted"""
    # What is not the default: here its total is judged, too.
    whole = random_transformer(rng, kv_heads=1, gated=False, tied=True)
    expected = counted_parameters(whole)
    norms = {"norms": whole["d_model"]}  # the last one
    for size, left in [
        ("layers", {"attention": 0, "feed_forward": 0, **norms}),
        ("vocab", {"embedding": 0, "lm_head": 0}),
        ("d_ff", {"feed_forward": 0}),
        ("d_model", dict.fromkeys(expected, 0)),
    ]:
        later.flops.transformer_parameters(**{**whole, size: 0}).equals(
            with_total({**expected, **left})
        )


def huge_transformer(rng):
    vocab, layers, d_ff = huge(rng, 3)
    d_model = 6 * (int(rng.integers(2**54, 2**60)) | 1)
    sizes = {"vocab": vocab, "layers": layers, "d_model": d_model, "d_ff": d_ff}
    return {**sizes, "heads": 6, "kv_heads": 2}


@pytest.mark.exercise("transformer_parameters")
def test_huge_transformers_are_exact(later, rng):
    """Parameters beyond 64 bits are exact integers"""
    for _ in range(5):
        config = huge_transformer(rng)
        vocab, layers, d_model, d_ff = (config[n] for n in ("vocab", "layers", "d_model", "d_ff"))
        parts = {
            "embedding": vocab * d_model,
            "attention": 2 * layers * d_model * (d_model + d_model // 3),
            "feed_forward": 3 * layers * d_model * d_ff,
            "norms": (2 * layers + 1) * d_model,
            "lm_head": vocab * d_model,
        }
        later.flops.transformer_parameters(**config).equals(with_total(parts))


def check_forward(later, seq_len, config, parts, **batch):
    """Compares some parts with torch's count of a real model; others are another test's."""
    counted = counted_forward(config, seq_len, **batch)
    later.flops.transformer_forward_flops(**config, seq_len=seq_len, **batch).has(
        {name: counted[name] for name in parts}
    )


def random_length(rng):
    return int(rng.choice([19, 23, 29]))


@pytest.mark.exercise("transformer_flops", weight=3)
def test_a_transformers_forward_pass(later, rng):
    """Each component and the total take the FLOPs that torch counts in a real forward pass"""
    config, seq_len = random_transformer(rng, layers=2), random_length(rng)
    counted = counted_forward(config, seq_len)
    later.flops.transformer_forward_flops(**config, seq_len=seq_len).equals(counted)


@pytest.mark.exercise("transformer_flops")
def test_a_batch_of_sequences(later, rng):
    """Sequences of a batch attend only to themselves: scores and values as torch counts them"""
    config = random_transformer(rng, layers=1, kv_heads=1, gated=bool(rng.integers(2)))
    parts = ("scores", "values")
    check_forward(later, random_length(rng), config, parts, batch=int(rng.choice([2, 3, 5])))


@pytest.mark.exercise("transformer_flops")
def test_fewer_key_heads_take_fewer_flops(later, rng):
    """With fewer key heads, attention takes the FLOPs that torch counts"""
    config, seq_len = random_transformer(rng, layers=1, d_model=12 * 7), random_length(rng)
    for heads, kv_heads in [(6, 2), (6, 3), (4, 1)]:
        given = {**config, "heads": heads, "kv_heads": kv_heads}
        check_forward(later, seq_len, given, ("qkv", "values"))


@pytest.mark.exercise("transformer_flops")
def test_a_gate_takes_flops(later, rng):
    """With and without a gate, the feed-forward takes the FLOPs that torch counts"""
    config, seq_len = random_transformer(rng, layers=1), random_length(rng)
    for gated in (True, False, True):
        check_forward(later, seq_len, {**config, "gated": gated}, ("feed_forward",), batch=2)


@pytest.mark.exercise("transformer_flops")
def test_a_forward_pass_over_nothing(later, rng):
    """Sizes of 0 are no error: what they take away is 0, and nothing else changes"""
    config = random_transformer(rng, layers=1, kv_heads=1, gated=bool(rng.integers(2)))
    whole = counted_forward(config, 3, 2)
    config |= {"seq_len": 3, "batch": 2}
    layer = ["qkv", "scores", "values", "output", "feed_forward"]
    for changes, gone in [
        ({"seq_len": 0}, whole),
        ({"batch": 0}, whole),
        ({"d_model": 0}, whole),
        ({"vocab": 0}, ["lm_head"]),
        ({"d_ff": 0}, ["feed_forward"]),
        ({"layers": 0}, layer),
    ]:
        stays = {name: whole[name] for name in ("qkv", "output")}
        later.flops.transformer_forward_flops(**{**config, **changes}).has(
            {**stays, **dict.fromkeys(gone, 0)}
        )


@pytest.mark.exercise("transformer_flops")
def test_huge_forward_passes_are_exact(later, rng):
    """A forward pass's FLOPs beyond 64 bits are exact integers"""
    for _ in range(5):
        config, (t,) = huge_transformer(rng), huge(rng, 1)
        vocab, layers, d, d_ff = (config[n] for n in ("vocab", "layers", "d_model", "d_ff"))
        parts = {
            "qkv": 2 * layers * t * d * (d + 2 * d // 3),
            "scores": 2 * layers * t * t * d,
            "values": 2 * layers * t * t * d,
            "output": 2 * layers * t * d * d,
            "feed_forward": 6 * layers * t * d * d_ff,
            "lm_head": 2 * t * d * vocab,
        }
        expected = with_total({name: 3 * flops for name, flops in parts.items()})
        later.flops.transformer_forward_flops(**config, seq_len=t, batch=3).equals(expected)


# --- training -----------------------------------------------------------------


@pytest.mark.exercise("training_flops")
def test_training_takes_what_torch_counts_in_a_layer_inside_a_network(later, rng):
    """6 FLOPs per parameter and token are what torch counts for a layer, forward and backward"""
    for _ in range(5):
        tokens, d_in, d_out = sizes(rng, 3)
        flops = sum(counted_mlp(tokens, [d_in, d_out]))
        later.flops.training_flops(d_in * d_out, tokens).equals(flops)


def random_run(rng):
    """Random arguments of training_days."""
    return {
        "parameters": int(rng.integers(10**8, 10**12)),
        "tokens": int(rng.integers(10**9, 10**13)),
        "devices": int(rng.integers(1, 10**5)),
        "peak_flops": float(rng.uniform(1e13, 5e15)),
        "mfu": float(rng.uniform(0.05, 1)),
    }


def days_of(parameters, tokens, devices, peak_flops, mfu):
    """Days, computed without intermediate rounding."""
    in_a_day = 24 * 60 * 60 * devices * Fraction(peak_flops) * Fraction(mfu)
    return float(6 * parameters * tokens / in_a_day)


@pytest.mark.exercise("training_flops")
def test_huge_runs_are_exact(later, rng):
    """FLOPs of training beyond 64 bits are exact; without parameters or tokens there are none"""
    for _ in range(10):
        parameters, tokens = huge(rng, 2, 2**36, 2**46)
        later.flops.training_flops(parameters, tokens).equals(6 * parameters * tokens)
        later.flops.training_flops(0, tokens).equals(0)
        later.flops.training_flops(parameters, 0).equals(0)


@pytest.mark.exercise("training_flops")
def test_days_of_random_runs(later, rng):
    """Days are the FLOPs divided by those that the devices do in a day"""
    for i in range(30):
        run = random_run(rng)
        if i % 3 == 0:  # its FLOPs do not fit into 64 bits
            run |= {"parameters": int(rng.integers(2**40, 2**45)) | 1, "tokens": 2**40 + i}
        # Half a dozen operations in float64 round by 1e-16 each.
        later.flops.training_days(**run).close(days_of(**run), rtol=1e-12)


@pytest.mark.exercise("training_flops")
def test_bounds_that_a_run_may_touch(later, rng):
    """One device, an MFU of 1, and no work at all are valid"""
    for changes in [{"devices": 1}, {"mfu": 1.0}, {"mfu": 1}, {"mfu": 1e-9}, {"peak_flops": 0.5}]:
        run = {**random_run(rng), **changes}
        later.flops.training_days(**run).close(days_of(**run), rtol=1e-12)
        for nothing in ("parameters", "tokens"):
            later.flops.training_days(**{**run, nothing: 0}).close(0.0, rtol=0)


# --- mixtures of experts ------------------------------------------------------


class Experts(nn.Module):
    """A router with its experts, and the shared ones."""

    def __init__(self, d_model, d_expert, experts, experts_per_token, shared_experts):
        super().__init__()
        layer = lambda *sizes: nn.Linear(*sizes, bias=False)  # noqa: E731
        up, down = (d_model, d_expert), (d_expert, d_model)
        expert = lambda: nn.ModuleList([layer(*up), layer(*up), layer(*down)])  # noqa: E731
        self.router, self.each = layer(d_model, experts), experts_per_token
        self.experts = nn.ModuleList(expert() for _ in range(experts))
        self.shared = nn.ModuleList(expert() for _ in range(shared_experts))


class Mixture(Transformer):
    """A complete transformer, with experts in its layers after the dense ones."""

    def __init__(
        self,
        *,
        d_expert,
        experts,
        experts_per_token,
        shared_experts=0,
        dense_layers=0,
        d_ff=1,
        **sizes,
    ):
        super().__init__(**sizes, d_ff=d_ff)
        given = sizes["d_model"], d_expert, experts, experts_per_token, shared_experts
        for i in range(dense_layers, sizes["layers"]):
            self.feed_forward[i] = Experts(*given)

    def feed(self, part, x):
        if not isinstance(part, Experts):
            return super().feed(part, x)
        weights, chosen = part.router(x.flatten()).softmax(-1).topk(part.each)  # of a single token
        routed = [part.experts[i] for i in chosen.tolist()]
        y = sum(w * super(Mixture, self).feed(e, x) for w, e in zip(weights, routed, strict=True))
        return y + sum(super(Mixture, self).feed(expert, x) for expert in part.shared)


def random_mixture(rng, **settings):
    """Sizes of a mixture without what has a default."""
    config = random_transformer(rng, layers=int(rng.integers(2, 5)))
    config["d_expert"] = config.pop("d_ff")
    experts = int(rng.integers(6, 10))
    # Never half of them: the experts that are chosen must not be as many as the others.
    used = int(rng.choice([n for n in range(2, experts - 1) if 2 * n != experts]))
    return {**config, "experts": experts, "experts_per_token": used, **settings}


def size_of(config):
    """Parameters of a real model."""
    return sum(p.numel() for p in Mixture(**config).parameters())


def counted_mixture(config):
    """Parameters of a real model, and those that get a gradient from one token."""
    model = Mixture(**config)
    model(torch.zeros(1, 1, dtype=torch.long), lambda _: contextlib.nullcontext()).sum().backward()
    active = sum(p.numel() for p in model.parameters() if p.grad is not None)
    return {"total": size_of(config), "active": active}


def huge_mixture(rng):
    """Sizes whose counts are beyond 64 bits, all parameters and the active ones."""
    vocab, layers, d_expert, used = huge(rng, 4)
    experts, heads = used + huge(rng, 1)[0], 4
    config = {"vocab": vocab, "layers": layers, "d_model": heads * huge(rng, 1)[0], "heads": heads}
    config |= {"d_expert": d_expert, "experts": experts, "experts_per_token": used}
    d = config["d_model"]
    others = 2 * vocab * d + layers * (4 * d * d + 2 * d + d * experts) + d
    total, active = (others + layers * count * 3 * d * d_expert for count in (experts, used))
    return config, {"total": total, "active": active}


@pytest.mark.exercise("expert_parameters", weight=1.5)
def test_all_experts_of_a_mixture(later, rng):
    """The total is that of a model made with torch, its router and all its experts included"""
    for _ in range(4):
        config = random_mixture(rng)
        later.flops.moe_parameters(**config).has({"total": size_of(config)})
        config, counts = huge_mixture(rng)
        later.flops.moe_parameters(**config).has({"total": counts["total"]})


@pytest.mark.exercise("expert_parameters", weight=1.5)
def test_active_parameters_of_a_mixture(later, rng):
    """As many parameters are active as get a gradient from one token in a model made with torch"""
    for _ in range(4):
        config = random_mixture(rng)
        later.flops.moe_parameters(**config).has({"active": counted_mixture(config)["active"]})
        config, counts = huge_mixture(rng)
        later.flops.moe_parameters(**config).has({"active": counts["active"]})


def check_growth(impl, what, config, more):
    """Compares by how much counts grow with other settings, and the total with wider experts then.

    What both models have in common is another test's.
    """
    changed = {**config, **more}
    configs = [config, changed, {**changed, "d_expert": config["d_expert"] + 3}]
    counted = [counted_mixture(sizes) for sizes in configs[:2]] + [{"total": size_of(configs[2])}]
    found = [expect(impl.flops.moe_parameters(**sizes), what).is_a(dict) for sizes in configs]
    for name in ("total", "active"):
        for counts in found:
            expect(counts.get(name), f'"{name}" of {what}').is_a(int)
        grown = found[1][name] - found[0][name]
        expect(grown, f'what {what} add to "{name}"').equals(counted[1][name] - counted[0][name])
    wider = found[2]["total"] - found[1]["total"]
    expect(wider, f"what wider experts add, with {what}").equals(
        counted[2]["total"] - counted[1]["total"]
    )


@pytest.mark.exercise("expert_parameters")
def test_shared_experts_serve_every_token(impl, rng):
    """Shared experts add to both counts what they add to those of a model made with torch"""
    for few in (0, 1):
        config = random_mixture(rng, shared_experts=few)
        more = {"shared_experts": few + int(rng.integers(1, 4))}
        check_growth(impl, "shared experts", config, more)


@pytest.mark.exercise("expert_parameters")
def test_dense_layers_have_no_experts(impl, rng):
    """The first layers' feed-forward adds what it adds in a model made with torch, and no router"""
    narrow, wide = (int(n) for n in rng.permutation([3, 8, 14, 27])[:2])
    config = random_mixture(rng, layers=int(rng.integers(4, 6)), dense_layers=2, d_ff=narrow)
    check_growth(impl, "wider dense layers", config, {"d_ff": wide})
    config |= {"dense_layers": config["layers"], "shared_experts": 2}
    counts = counted_mixture(config)
    found = expect(impl.flops.moe_parameters(**config), "the counts").is_a(dict)
    found = {name: found.get(name) for name in counts}
    expect(found, "the counts of dense layers alone").equals(counts)


@pytest.mark.exercise("expert_parameters")
def test_the_rest_of_a_mixture(impl, rng):
    """Fewer key heads and a tied lm_head change both counts as in a model made with torch"""
    config = random_mixture(rng, heads=6, d_model=6 * int(rng.choice([5, 7, 9])))
    for what, more in [
        ("fewer key heads", {"kv_heads": int(rng.choice([1, 2, 3]))}),
        ("tied embeddings", {"tied": True}),
    ]:
        check_growth(impl, what, config, more)


@pytest.mark.exercise("expert_parameters")
def test_training_a_mixture(later, rng):
    """Training takes 6 FLOPs a token for each parameter that gets a gradient from a token"""
    for _ in range(3):
        config = random_mixture(rng)
        flops = {"training_flops_per_token": 6 * counted_mixture(config)["active"]}
        later.flops.moe_parameters(**config).has(flops)
        config, counts = huge_mixture(rng)
        flops = {"training_flops_per_token": 6 * counts["active"]}
        later.flops.moe_parameters(**config).has(flops)


def mean_experts(experts, each, tokens):
    """The mean number of experts chosen, from how likely each number is after each token."""
    step = np.zeros((experts + 1, experts + 1))
    for before, new in itertools.product(range(experts + 1), range(each + 1)):
        if each - new <= before <= experts - new:
            ways = math.comb(experts - before, new) * math.comb(before, each - new)
            step[before, before + new] = ways / math.comb(experts, each)
    after = np.linalg.matrix_power(step, tokens)[0]
    return math.fsum(n * p for n, p in enumerate(after.tolist()))


@pytest.mark.exercise("expert_parameters", weight=3)
def test_experts_that_a_batch_reads(later, rng):
    """The experts read are the mean over all choices of the tokens, of none and of thousands too"""
    for _ in range(10):
        experts = int(rng.integers(1, 6))
        each, tokens = int(rng.integers(1, experts + 1)), int(rng.integers(1, 4))
        every = list(itertools.combinations(range(experts), each))
        chosen = [len(set().union(*sets)) for sets in itertools.product(every, repeat=tokens)]
        mean = float(Fraction(sum(chosen), len(chosen)))
        later.flops.distinct_experts(experts, each, tokens).close(mean, rtol=1e-9)
    for _ in range(10):
        experts, tokens = int(rng.integers(8, 129)), int(2 ** rng.uniform(0, 8))
        each = int(rng.integers(1, 9))
        mean = mean_experts(experts, each, tokens)
        later.flops.distinct_experts(experts, each, tokens).close(mean, rtol=1e-9)
    for _ in range(3):
        experts, each = int(rng.integers(9, 65)), int(rng.integers(1, 9))
        many = int(rng.integers(2000, 5000))
        later.flops.distinct_experts(experts, each, 0).close(0.0, rtol=0, atol=1e-9)
        later.flops.distinct_experts(experts, each, 1).close(each, rtol=1e-9)
        later.flops.distinct_experts(experts, experts, 2).close(experts, rtol=1e-9)
        later.flops.distinct_experts(experts, each, many).close(experts, rtol=1e-9)


def random_speed(rng):
    """Seconds and a peak, both of any size."""
    return tuple((10 ** rng.uniform((-6, -3), (6, 16))).tolist())


def check_mfu(later, flops, seconds, peak, *devices):
    """Compares with fractions."""
    expected = Fraction(flops) / (Fraction(seconds) * Fraction(peak) * math.prod(devices))
    later.flops.mfu(flops, seconds, peak, *devices).close(float(expected), rtol=1e-12)


@pytest.mark.exercise("mfu")
def test_utilization_of_random_runs(later, rng):
    """The MFU is the FLOPs divided by those that the devices promise in the time, in float64"""
    for _ in range(30):
        (seconds, peak), devices = random_speed(rng), int(rng.integers(1, 10**5))
        flops = float(rng.uniform(0.01, 1)) * seconds * peak * devices
        check_mfu(later, flops, seconds, peak, devices)


@pytest.mark.exercise("mfu")
def test_one_device_unless_more_are_said(later, rng):
    """By default there is one device"""
    for _ in range(10):
        flops, speed = int(rng.integers(1, 2**62)), random_speed(rng)
        check_mfu(later, flops, *speed)
        check_mfu(later, flops, *speed, int(rng.integers(1, 99)))


@pytest.mark.exercise("mfu")
def test_utilization_is_reported_as_it_is(later, rng):
    """The MFU of no work is 0, and an MFU above 1 is not clipped"""
    for _ in range(5):
        seconds, peak = float(rng.uniform(0.1, 9)), float(rng.uniform(1e13, 5e15))
        later.flops.mfu(0, seconds, peak).close(0.0, rtol=0)
        factor = float(rng.uniform(1.5, 9))
        devices = int(rng.integers(2, 99))
        flops = factor * seconds * peak * devices
        later.flops.mfu(flops, seconds, peak, devices).close(factor, rtol=1e-12)
