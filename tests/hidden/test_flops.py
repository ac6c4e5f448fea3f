"""FLOPs, compared with torch's FlopCounterMode on real layers and on a whole transformer.

Counts are exact. Days and utilization are a few multiplications and a division in float64, and must
agree with fractions to 1e-12.
"""

import contextlib
import itertools
from fractions import Fraction

import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from assignment.expect import expect

AWKWARD = [1, 2, 3, 17, 63, 64, 65]


def sizes(rng, count):
    return [int(n) for n in rng.choice(AWKWARD, size=count)]


def counted(function):
    """FLOPs of `function()` as torch counts them, and its result.

    With few elements "meta" is no gain: torch counts there by its own Python, which needs sympy.
    """
    with FlopCounterMode(display=False) as counter:
        result = function()
    return counter.get_total_flops(), result


def mlp(widths):
    layers = []
    for d_in, d_out in itertools.pairwise(widths):
        layers += [nn.ReLU(), nn.Linear(d_in, d_out, bias=False)]
    return nn.Sequential(*layers[1:])


def forward_and_backward(model, batch, width, input_needs_grad):
    x = torch.ones(batch, width, requires_grad=input_needs_grad)
    forward, y = counted(lambda: model(x))
    backward, _ = counted(lambda: y.sum().backward())
    return forward, backward


@pytest.mark.exercise("matmul_flops")
def test_a_product_takes_what_torch_counts(later, rng):
    """A matrix product takes the FLOPs that torch counts for it, an int"""
    for _ in range(25):
        B, D, K = (int(n) for n in rng.integers(1, 200, size=3))
        left, right = torch.empty(B, D), torch.empty(D, K)
        flops, _ = counted(lambda left=left, right=right: left @ right)
        later.flops.matmul_flops(B, D, K).equals(flops)


@pytest.mark.exercise("matmul_flops")
def test_huge_products_are_exact(later, rng):
    """A matrix product's FLOPs beyond 64 bits are exact integers"""
    for _ in range(10):
        B, D, K = (int(n) | 1 for n in rng.integers(2**30, 2**40, size=3))
        later.flops.matmul_flops(B, D, K).equals(sum([B * D * K, B * D * K]))


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
        flops, _ = forward_and_backward(mlp([d_in, d_out]), batch, d_in, False)
        later.flops.linear_forward_flops(batch, d_in, d_out).equals(flops)


@pytest.mark.exercise("matmul_flops", weight=2)
def test_a_layer_backward(later, rng):
    """The backward pass takes the FLOPs that torch counts, with and without the input's gradient"""
    for input_needs_grad in [True, False] * 6:
        batch, d_in, d_out = sizes(rng, 3)
        _, flops = forward_and_backward(mlp([d_in, d_out]), batch, d_in, input_needs_grad)
        later.flops.linear_backward_flops(batch, d_in, d_out, input_needs_grad).equals(flops)


def check_layer(later, batch, d_in, d_out):
    product = 2 * batch * d_in * d_out
    later.flops.linear_forward_flops(batch, d_in, d_out).equals(product)
    later.flops.linear_backward_flops(batch, d_in, d_out, False).equals(product)
    later.flops.linear_backward_flops(batch, d_in, d_out, True).equals(2 * product)


@pytest.mark.exercise("matmul_flops")
def test_a_huge_layer_is_exact(later, rng):
    """A layer's FLOPs beyond 64 bits are exact integers; a size of 0 is no error"""
    for _ in range(5):
        check_layer(later, *(int(n) | 1 for n in rng.integers(2**30, 2**40, size=3)))
    for given in [(0, 2, 3), (1, 0, 3), (1, 2, 0)]:
        check_layer(later, *given)


@pytest.mark.exercise("mlp_flops")
def test_an_mlp_forward(later, rng):
    """The forward pass of an MLP takes the FLOPs that torch counts, at every depth"""
    for layers in range(1, 7):
        batch, *widths = sizes(rng, layers + 2)
        flops, _ = forward_and_backward(mlp(widths), batch, widths[0], False)
        later.flops.mlp_forward_flops(batch, widths).equals(flops)


@pytest.mark.exercise("mlp_flops")
def test_an_mlp_backward_with_the_inputs_gradient(later, rng):
    """The backward pass of an MLP with the input's gradient takes the FLOPs that torch counts"""
    for layers in range(1, 7):
        batch, *widths = sizes(rng, layers + 2)
        _, flops = forward_and_backward(mlp(widths), batch, widths[0], True)
        later.flops.mlp_backward_flops(batch, widths, True).equals(flops)


@pytest.mark.exercise("mlp_flops", weight=2)
def test_an_mlp_backward_without_the_inputs_gradient(later, rng):
    """The backward pass of an MLP without the input's gradient takes the FLOPs that torch counts"""
    for layers in range(1, 7):
        batch, *widths = sizes(rng, layers + 2)
        _, flops = forward_and_backward(mlp(widths), batch, widths[0], False)
        later.flops.mlp_backward_flops(batch, widths, False).equals(flops)


@pytest.mark.exercise("mlp_flops")
def test_layers_of_equal_widths(later, rng):
    """Each of several layers with the same widths counts, forward and backward"""
    for layers in (2, 3, 6):
        batch, width, other = (int(n) for n in rng.permutation(AWKWARD)[:3])
        for widths in [[other, *[width] * layers], [width, other] * layers]:
            _, flops = forward_and_backward(mlp(widths), batch, widths[0], True)
            later.flops.mlp_backward_flops(batch, widths, True).equals(flops)
            forward, flops = forward_and_backward(mlp(widths), batch, widths[0], False)
            later.flops.mlp_backward_flops(batch, widths, False).equals(flops)
            later.flops.mlp_forward_flops(batch, widths).equals(forward)


def check_mlp(later, batch, widths):
    layers = [2 * batch * d_in * d_out for d_in, d_out in itertools.pairwise(widths)]
    later.flops.mlp_forward_flops(batch, widths).equals(sum(layers))
    later.flops.mlp_backward_flops(batch, widths, True).equals(2 * sum(layers))
    later.flops.mlp_backward_flops(batch, widths, False).equals(2 * sum(layers) - layers[0])


@pytest.mark.exercise("mlp_flops")
def test_a_huge_mlp_is_exact(later, rng):
    """An MLP's FLOPs beyond 64 bits are exact integers; a size of 0 is no error"""
    for _ in range(5):
        batch, *widths = (int(n) | 1 for n in rng.integers(2**30, 2**40, size=4))
        for first in ([], [0], [widths[0], 0]):  # the first layer may cost nothing
            check_mlp(later, batch, (*first, *widths))
    for batch, widths in [(0, (3, 5)), (2, (3, 0, 5)), (2, (0, 5, 7))]:
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
    two, three = (spelled(rng, [[a, b], [c, b], [b, a]][:n], [a, c]) for n in (2, 3))
    for _ in range(5):
        i, j, k = (int(n) | 1 for n in rng.integers(2**30, 2**40, size=3))
        later.flops.einsum_flops(two, (i, j), (k, j)).equals(2 * i * j * k)
        later.flops.einsum_flops(three, (i, j), (k, j), (j, i)).equals(3 * i * j * k)


# --- elementwise_flops --------------------------------------------------------


@pytest.mark.exercise("matmul_flops")
def test_every_element_costs_the_same(later, rng):
    """A shape takes the FLOPs of one element times its number of elements"""
    for _ in range(25):
        shape = sizes(rng, int(rng.integers(1, 6)))
        per_element = int(rng.integers(2, 50))
        elements = torch.empty(shape, device="meta").numel()
        later.flops.elementwise_flops(shape, per_element).equals(elements * per_element)


@pytest.mark.exercise("matmul_flops")
def test_an_element_costs_one_flop(later, rng):
    """By default an element takes one FLOP"""
    for _ in range(10):
        shape = sizes(rng, int(rng.integers(1, 6)))
        elements = torch.empty(shape, device="meta").numel()
        later.flops.elementwise_flops(shape).equals(elements)


@pytest.mark.exercise("matmul_flops")
def test_a_scalar_is_an_element(later, rng):
    """A scalar, of shape (), has one element"""
    for _ in range(5):
        per_element = int(rng.integers(2, 1000))
        later.flops.elementwise_flops((), per_element).equals(per_element)
        later.flops.elementwise_flops([], per_element).equals(per_element)
        a, b, c = sizes(rng, 3)
        later.flops.elementwise_flops([a, b, c], per_element).equals(a * b * c * per_element)


@pytest.mark.exercise("matmul_flops")
def test_no_elements_or_no_work_is_free(later, rng):
    """Elementwise operations take no FLOPs with a size of 0, or with 0 FLOPs per element"""
    for _ in range(5):
        shape = sizes(rng, 3)
        elements = torch.empty(shape, device="meta").numel()
        later.flops.elementwise_flops(shape, 7).equals(7 * elements)
        later.flops.elementwise_flops(shape, 0).equals(0)
        shape[int(rng.integers(3))] = 0
        later.flops.elementwise_flops(shape, 7).equals(0)


@pytest.mark.exercise("matmul_flops")
def test_huge_shapes_are_exact(later, rng):
    """FLOPs on huge shapes, beyond 64 bits, are exact integers"""
    for _ in range(5):
        a, b, c = (int(n) | 1 for n in rng.integers(2**40, 2**50, size=3))
        later.flops.elementwise_flops((a, b, c), 3).equals(sum([a * b * c] * 3))


# --- transformers -------------------------------------------------------------


class Attention(nn.Module):
    def __init__(self, d_model, heads, kv_heads):
        super().__init__()
        self.heads, self.kv_heads, self.width = heads, kv_heads, d_model // heads
        self.q = nn.Linear(d_model, heads * self.width, bias=False)
        self.k = nn.Linear(d_model, kv_heads * self.width, bias=False)
        self.v = nn.Linear(d_model, kv_heads * self.width, bias=False)
        self.o = nn.Linear(heads * self.width, d_model, bias=False)

    def forward(self, x, meter):
        split = lambda y, heads: y.unflatten(-1, (heads, self.width)).transpose(1, 2)  # noqa: E731
        with meter("qkv"):
            q, k, v = self.q(x), self.k(x), self.v(x)
        groups = self.heads // self.kv_heads
        q, k, v = split(q, self.heads), split(k, self.kv_heads), split(v, self.kv_heads)
        k, v = k.repeat_interleave(groups, dim=1), v.repeat_interleave(groups, dim=1)
        with meter("scores"):
            scores = q @ k.mT
        with meter("values"):
            y = scores.softmax(-1) @ v
        with meter("output"):
            return self.o(y.transpose(1, 2).flatten(2))


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, gated):
        super().__init__()
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.gate = nn.Linear(d_model, d_ff, bias=False) if gated else None
        self.down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        y = self.up(x)
        return self.down(y.relu() if self.gate is None else nn.functional.silu(self.gate(x)) * y)


class Transformer(nn.Module):
    """A complete transformer made of torch's own parts."""

    def __init__(self, vocab, layers, d_model, heads, d_ff, kv_heads=None, gated=True, tied=False):
        super().__init__()
        self.embedding = nn.Embedding(vocab, d_model)
        self.attention = nn.ModuleList(
            Attention(d_model, heads, kv_heads or heads) for _ in range(layers)
        )
        self.feed_forward = nn.ModuleList(FeedForward(d_model, d_ff, gated) for _ in range(layers))
        self.norms = nn.ModuleList(nn.RMSNorm(d_model) for _ in range(2 * layers + 1))
        self.lm_head = nn.Linear(d_model, vocab, bias=False)
        if tied:
            self.lm_head.weight = self.embedding.weight

    def forward(self, tokens, meter):
        x = self.embedding(tokens)
        norms = iter(self.norms)
        for attention, feed_forward in zip(self.attention, self.feed_forward, strict=True):
            x = x + attention(next(norms)(x), meter)
            with meter("feed_forward"):
                x = x + feed_forward(next(norms)(x))
        with meter("lm_head"):
            return self.lm_head(next(norms)(x))


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


def made(config):
    return Transformer(**config)


def counted_parameters(config):
    """Parameters of a real model, each counted at its first occurrence."""
    model = made(config)
    counts = dict.fromkeys(["embedding", "attention", "feed_forward", "norms", "lm_head"], 0)
    for name, parameter in model.named_parameters():
        counts[name.partition(".")[0]] += parameter.numel()
    return {**counts, "total": sum(p.numel() for p in model.parameters())}


def counted_forward(config, batch, seq_len):
    """FLOPs of a real forward pass, as torch counts them, by component and in total."""
    counts = {}

    @contextlib.contextmanager
    def meter(part):
        with FlopCounterMode(display=False) as counter:
            yield
        counts[part] = counts.get(part, 0) + counter.get_total_flops()

    model, tokens = made(config), torch.zeros(batch, seq_len, dtype=torch.long)
    model(tokens, meter)
    total, _ = counted(lambda: model(tokens, lambda part: contextlib.nullcontext()))
    return {**counts, "total": total}


@pytest.mark.exercise("transformer_parameters", weight=2)
def test_a_transformers_parameters(later, rng):
    """Each component and the total have the parameters of a model made with torch"""
    for _ in range(4):
        config = random_transformer(rng)
        later.flops.transformer_parameters(**config).equals(counted_parameters(config))


@pytest.mark.exercise("transformer_parameters")
def test_fewer_key_heads_have_fewer_parameters(later, rng):
    """With fewer key heads, the parameters are those of a model made with torch"""
    config = random_transformer(rng, d_model=49 * 12)
    for heads, kv_heads in [(6, 2), (6, 3), (4, 1), (2, 2), (49, 1), (49, 7), (6, 2)]:
        config = {**config, "heads": heads, "kv_heads": kv_heads}
        later.flops.transformer_parameters(**config).equals(counted_parameters(config))


@pytest.mark.exercise("transformer_parameters")
def test_a_feed_forward_with_and_without_a_gate(later, rng):
    """With and without a gate, the parameters are those of a model made with torch"""
    config = random_transformer(rng)
    for gated in (True, False, True):
        config = {**config, "gated": gated}
        later.flops.transformer_parameters(**config).equals(counted_parameters(config))


@pytest.mark.exercise("transformer_parameters")
def test_a_tied_head_shares_its_parameters(later, rng):
    """A tied lm_head adds no parameters, and an untied one does"""
    config = random_transformer(rng)
    for tied in (True, False, True):
        config = {**config, "tied": tied}
        later.flops.transformer_parameters(**config).equals(counted_parameters(config))


@pytest.mark.exercise("transformer_parameters")
def test_a_transformer_without_layers(impl, later, rng):
    """Sizes of 0 are no error: what they leave is counted"""
    gated, tied = (bool(n) for n in rng.integers(2, size=2))
    whole = random_transformer(rng, kv_heads=1, gated=gated, tied=tied)
    for size in ("layers", "vocab", "d_ff"):
        config = {**whole, size: 0}
        found = impl.flops.transformer_parameters(**config)
        expected = counted_parameters(whole)
        if size == "layers":
            gone = ("attention", "feed_forward")
            expected["norms"] = whole["d_model"]
        else:
            gone = ("embedding", "lm_head") if size == "vocab" else ("feed_forward",)
        expected |= dict.fromkeys(gone, 0)
        expected["total"] = sum(n for part, n in expected.items() if part != "total")
        expect(found, f"parameters with {size} = 0").equals(expected)
    nothing = dict.fromkeys(expected, 0)
    later.flops.transformer_parameters(**{**whole, "d_model": 0}).equals(nothing)


@pytest.mark.exercise("transformer_parameters")
def test_huge_transformers_are_exact(impl, rng):
    """Parameters beyond 64 bits are exact integers"""
    for _ in range(5):
        vocab, layers, d_ff = (int(n) | 1 for n in rng.integers(2**30, 2**40, size=3))
        width = int(rng.integers(2**54, 2**60)) | 1
        d_model = 6 * width
        found = impl.flops.transformer_parameters(
            vocab=vocab, layers=layers, d_model=d_model, heads=6, d_ff=d_ff, kv_heads=2
        )
        parts = {
            "embedding": vocab * d_model,
            "attention": 2 * layers * d_model * (d_model + 2 * width),
            "feed_forward": 3 * layers * d_model * d_ff,
            "norms": 2 * layers * d_model + d_model,
            "lm_head": vocab * d_model,
        }
        expect(found).equals({**parts, "total": sum(parts.values())})


def check_forward(impl, config, seq_len, batch=None):
    given = {} if batch is None else {"batch": batch}
    found = impl.flops.transformer_forward_flops(**config, seq_len=seq_len, **given)
    expected = counted_forward(config, batch or 1, seq_len)
    expect(found, f"FLOPs of {config}, {batch} × {seq_len} tokens").equals(expected)


@pytest.mark.exercise("transformer_flops", weight=2)
def test_a_transformers_forward_pass(impl, rng):
    """Each component and the total take the FLOPs that torch counts in a real forward pass"""
    config = random_transformer(rng, layers=2)
    check_forward(impl, config, int(rng.choice([19, 23, 29])))


@pytest.mark.exercise("transformer_flops")
def test_a_batch_of_sequences(impl, rng):
    """Sequences of a batch attend only to themselves, and each takes the FLOPs that torch counts"""
    config = random_transformer(rng, layers=1, kv_heads=1, gated=bool(rng.integers(2)))
    batch = int(rng.choice([2, 3, 5]))
    check_forward(impl, config, int(rng.choice([19, 23, 29])), batch)


@pytest.mark.exercise("transformer_flops")
def test_fewer_key_heads_take_fewer_flops(impl, rng):
    """With fewer key heads, the forward pass takes the FLOPs that torch counts"""
    config, seq_len = (
        random_transformer(rng, layers=1, d_model=12 * 7),
        int(rng.choice([19, 23, 29])),
    )
    for heads, kv_heads in [(6, 2), (6, 3), (4, 1)]:
        check_forward(impl, {**config, "heads": heads, "kv_heads": kv_heads}, seq_len, 2)


@pytest.mark.exercise("transformer_flops")
def test_a_gate_takes_flops(impl, rng):
    """With and without a gate, the forward pass takes the FLOPs that torch counts"""
    config, seq_len = random_transformer(rng, layers=1), int(rng.choice([19, 23, 29]))
    for gated in (True, False, True):
        check_forward(impl, {**config, "gated": gated}, seq_len, 2)


@pytest.mark.exercise("transformer_flops")
def test_a_forward_pass_over_nothing(impl, rng):
    """Sizes of 0 are no error: what they leave is counted"""
    config = random_transformer(rng, layers=1, kv_heads=1, gated=bool(rng.integers(2)))
    whole = counted_forward(config, 2, 3)
    forward = impl.flops.transformer_forward_flops
    expect(forward(**config, seq_len=3, batch=2)).equals(whole)
    nothing = dict.fromkeys(whole, 0)
    expect(forward(**config, seq_len=0, batch=2)).equals(nothing)
    expect(forward(**config, seq_len=3, batch=0)).equals(nothing)
    expect(forward(**{**config, "d_model": 0}, seq_len=3)).equals(nothing)
    for size, gone in [
        ("vocab", ["lm_head"]),
        ("d_ff", ["feed_forward"]),
        ("layers", ["qkv", "scores", "values", "output", "feed_forward"]),
    ]:
        expected = {**whole, **dict.fromkeys(gone, 0)}
        expected["total"] = sum(n for part, n in expected.items() if part != "total")
        found = forward(**{**config, size: 0}, seq_len=3, batch=2)
        expect(found, f"FLOPs with {size} = 0").equals(expected)


@pytest.mark.exercise("transformer_flops")
def test_huge_forward_passes_are_exact(impl, rng):
    """A forward pass's FLOPs beyond 64 bits are exact integers"""
    for _ in range(5):
        vocab, layers, d_ff, t = (int(n) | 1 for n in rng.integers(2**30, 2**40, size=4))
        width = int(rng.integers(2**54, 2**60)) | 1
        d = 6 * width
        found = impl.flops.transformer_forward_flops(
            vocab=vocab,
            layers=layers,
            d_model=d,
            heads=6,
            kv_heads=2,
            d_ff=d_ff,
            seq_len=t,
            batch=3,
        )
        parts = {
            "qkv": 6 * layers * t * d * (d + 4 * width),
            "scores": 6 * layers * t * t * d,
            "values": 6 * layers * t * t * d,
            "output": 6 * layers * t * d * d,
            "feed_forward": 18 * layers * t * d * d_ff,
            "lm_head": 6 * t * d * vocab,
        }
        expect(found).equals({**parts, "total": sum(parts.values())})


# --- training -----------------------------------------------------------------


@pytest.mark.exercise("training_flops")
def test_training_takes_what_torch_counts_in_a_layer_inside_a_network(later, rng):
    """6 FLOPs per parameter and token are what torch counts for a layer, forward and backward"""
    for _ in range(5):
        tokens, d_in, d_out = sizes(rng, 3)
        forward, backward = forward_and_backward(mlp([d_in, d_out]), tokens, d_in, True)
        parameters = sum(p.numel() for p in mlp([d_in, d_out]).parameters())
        later.flops.training_flops(parameters, tokens).equals(forward + backward)


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
        parameters, tokens = (int(n) | 1 for n in rng.integers(2**36, 2**46, size=2))
        once = parameters * tokens
        later.flops.training_flops(parameters, tokens).equals(sum([once] * 6))
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


@pytest.mark.exercise("mfu")
def test_utilization_of_random_runs(later, rng):
    """The MFU is the FLOPs divided by those that the devices promise in the time, in float64"""
    for _ in range(30):
        seconds, peak = (float(10**power) for power in rng.uniform((-6, -3), (6, 16)))
        devices, share = int(rng.integers(1, 10**5)), float(rng.uniform(0.01, 1))
        flops = share * seconds * peak * devices
        expected = float(Fraction(flops) / (Fraction(seconds) * Fraction(peak) * devices))
        later.flops.mfu(flops, seconds, peak, devices).close(expected, rtol=1e-12)


@pytest.mark.exercise("mfu")
def test_one_device_unless_more_are_said(later, rng):
    """By default there is one device"""
    for _ in range(10):
        seconds, peak = (float(10**power) for power in rng.uniform((-6, -3), (6, 16)))
        flops = int(rng.integers(1, 2**62))
        expected = float(Fraction(flops) / (Fraction(seconds) * Fraction(peak)))
        later.flops.mfu(flops, seconds, peak).close(expected, rtol=1e-12)
        devices = int(rng.integers(1, 99))
        later.flops.mfu(flops, seconds, peak, devices).close(expected / devices, rtol=1e-12)


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
