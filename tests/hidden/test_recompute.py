"""Activation checkpointing, compared with a plain loop, and its memory measured from outside.

Comparisons are in float64: checkpointing runs the same operations again, so 1e-10 only allows for
another order of summation.
"""

import itertools
import math
from collections import deque
from fractions import Fraction

import numpy as np
import pytest
import torch
from torch.nn import functional

from assignment.calls.layouts import rearranged
from assignment.expect import expect
from assignment.scenarios import rolling

MIB = 2**20

# --- segments ----------------------------------------------------------------


def check_even(later, rng, layers):
    """Asks for a drawn number of segments, for one, and for one for each layer."""
    for segments in (int(rng.integers(1, layers + 1)), 1, layers):
        pieces = np.array_split(np.arange(layers), segments)
        for _ in range(1 + segments % 2):  # the second list is new
            later.recompute.segment_bounds(layers, segments).equals(
                [(int(piece[0]), int(piece[-1]) + 1) for piece in pieces]
            )


@pytest.mark.exercise("segments", weight=2)
def test_segments_are_even(later, rng):
    """Segments cover all layers in order; sizes differ by at most one, the longer ones first"""
    for _ in range(60):
        check_even(later, rng, int(rng.integers(1, 70)))


def best_of(layers):
    costs = [s + math.ceil(Fraction(layers, s)) for s in range(1, layers + 1)]
    return 1 + costs.index(min(costs))


@pytest.mark.exercise("segments", weight=2)
def test_best_segments_have_the_smallest_sum(later, rng):
    """The best number is the smallest that minimizes segments plus longest segment"""
    squares = [int(n) ** 2 for n in rng.integers(4, 20, size=6)]
    near = [square + offset for square in squares for offset in (-1, 0, 1, 2)]
    for layers in [*range(1, 30), *near, *(int(n) for n in rng.integers(30, 400, size=20))]:
        later.recompute.best_segments(layers).equals(best_of(layers))


# --- checkpointed_forward ----------------------------------------------------


def network(rng, torch_rng, layers):
    """Weights of tanh layers of random widths, an input, and an output gradient."""
    widths = [int(n) for n in rng.integers(2, 7, size=layers + 1)]
    weights = [f64(torch_rng, d_in, d_out) for d_in, d_out in itertools.pairwise(widths)]
    rows = int(rng.integers(1, 5))
    return weights, f64(torch_rng, rows, widths[0]), f64(torch_rng, rows, widths[-1])


def f64(torch_rng, *shape):
    return rearranged(torch.randn(shape, generator=torch_rng, dtype=torch.float64), torch_rng)


def layer(x, w, n):
    x = x if x.is_floating_point() else x % 7
    return torch.tanh(x.to(w.dtype) @ w + n) if w.dim() else x + w * x.roll(n).relu()


class Runs:
    """Draws a number for each run of a layer, and notes the runs of one pass.

    A layer that runs again gets another number. The activations, and so the gradients, are those of
    its last run.

    Attributes:
        forward, backward: (layer, number) of the runs before and after the output's gradient is
            asked for.
        output: None until then.
    """

    def __init__(self, net, draw, on_output=lambda: None, masks=None):
        self._weights, self._x, self._output_grad = net
        self._masks = masks or [1.0] * len(self._weights)  # each layer's dropout
        self._draw, self._on_output = draw, on_output
        self.forward, self.backward, self.output = [], [], None

    def draw(self, i):
        assert type(i) is int, "the index of a layer"
        number = self._draw()
        (self.forward if self.output is None else self.backward).append((i, number))
        return number

    def output_grad(self, output):
        self._on_output()
        expect(output, "the output").is_tensor(self._output_grad.shape, self._output_grad.dtype)
        self.output = output
        return self._output_grad

    def ran_again(self):
        """The parts that ran again, as lists of consecutive layers."""
        parts = []
        for i, _ in self.backward:
            if parts and i == parts[-1][-1] + 1:
                parts[-1].append(i)
            else:
                parts.append([i])
        return parts

    def parts(self):
        """All layers, as the parts that ran again, and layers of which the first run counts."""
        again = dict(self.backward)
        return sorted(self.ran_again() + [[i] for i in range(len(self._weights)) if i not in again])

    def activations(self):
        """The input of each layer, and then the output, that follow from the forward runs."""
        numbers, x = dict(self.forward), self._x
        yield x
        for i, w in enumerate(self._weights):
            x = layer(x, w, numbers[i]) * self._masks[i]
            yield x

    def expected_output(self):
        """The output that follows from the runs."""
        return deque(self.activations(), maxlen=1).pop()

    def expected(self):
        """The output, and the gradients of input and weights, that follow from the runs."""
        inputs = list(self.activations())
        numbers, again = dict(self.forward), dict(self.backward)
        x_grad, weight_grads = self._output_grad, {}
        for part in reversed(self.parts()):
            x = y = inputs[part[0]].clone()
            weights = [self._weights[i].clone().requires_grad_() for i in part]
            sources = [*weights, x.requires_grad_()] if x.is_floating_point() else weights
            for i, w in zip(part, weights, strict=True):
                y = layer(y, w, again.get(i, numbers[i])) * self._masks[i]
            grads = torch.autograd.grad(y, sources, x_grad)
            weight_grads |= dict(zip(part, grads, strict=False))
            x_grad = grads[-1]  # of x, if it has one
        return inputs[-1], x_grad, [weight_grads[i] for i in range(len(weight_grads))]


def run_pass(
    impl,
    rng,
    net,
    segments,
    *,
    x_needs_grad=False,
    frozen=(),
    clear_layers=False,
    dropout=0.0,
    autocast=False,
):
    """One pass forward and backward, in which layers must have run again.

    Returns:
        The runs, what the scenario found, and a generator that is now where torch's should be.
    """
    weights, x, _ = net
    seed, masks = int(rng.integers(2**40)), None
    g = torch.Generator().manual_seed(seed)
    if dropout:
        masks = [torch.rand(len(x), w.shape[1], generator=g) >= dropout for w in weights]
    runs = Runs(net, lambda: float(rng.uniform(-1, 1)), masks=masks)
    settings = {"x_needs_grad": x_needs_grad, "frozen": frozen, "clear_layers": clear_layers}
    settings |= {"dropout": dropout, "seed": seed, "autocast": autocast}
    found = impl.scenarios.checkpointed_pass(
        weights, x, segments, runs.draw, runs.output_grad, **settings
    )
    check_runs(runs, len(weights), segments, frozen)
    return runs, found, g


def check_pass(impl, rng, net, segments, *, frozen=(), dropout=0.0, **settings):
    """Checks output and gradients.

    The segments may be others than the right ones: the gradients must be those of the parts that
    ran again, each from its input in the forward pass. Returns what the scenario found.
    """
    runs, found, g = run_pass(impl, rng, net, segments, frozen=frozen, dropout=dropout, **settings)
    output, x_grad, weight_grads = runs.expected()
    close = {"rtol": 1e-10, "atol": 1e-12}
    expect(runs.output, "the output").close(output, **close)
    if dropout:
        following = torch.rand(3, generator=g, dtype=torch.float64)
        expect(found["drawn"], "what is drawn after the backward pass").equals(following)
    if settings.get("x_needs_grad"):
        expect(found["x_grad"], "the gradient of x").close(x_grad, **close)
    for i, grad in enumerate(weight_grads):
        if i not in frozen:
            expect(found["weight_grads"][i], f"the gradient of weight {i}").close(grad, **close)
    return found


def check_runs(runs, layers, segments, frozen=()):
    """Checks that each layer ran once forward, and at most once again; and again if it must.

    The last segment may be held, and layers before all that are trained need not run again.
    """
    expect([i for i, _ in runs.forward], "layers in the forward pass").equals(list(range(layers)))
    again = [i for i, _ in runs.backward]
    expect(sorted(set(again)), "layers in the backward pass").equals(sorted(again))
    trained = [i for i in range(layers) if i not in frozen]
    must = range(min(trained), bounds_of(layers, segments)[-1][0])
    missing = sorted(set(must) - set(again))
    expect(missing, "layers that did not run again").equals([])
    others = sorted(set(again) - set(range(layers)))
    expect(others, "what runs beside the layers").equals([])


def bounds_of(layers, segments):
    pieces = np.array_split(np.arange(layers), segments)
    return [[int(i) for i in piece] for piece in pieces]


@pytest.mark.exercise("checkpointed_forward", weight=2, needs="test_gradients_are_those_without")
def test_each_layer_runs_once_more(impl, rng, torch_rng):
    """Each layer runs once forward, and once again backward, by the segments of `segment_bounds`,
    from the last"""
    for _ in range(6):
        layers = int(rng.integers(4, 16))
        segments = int(rng.integers(2, layers))
        runs, *_ = run_pass(impl, rng, network(rng, torch_rng, layers), segments)
        again = list(itertools.chain(*bounds_of(layers, segments)[::-1]))
        last = len(bounds_of(layers, segments)[-1])
        found = [i for i, _ in runs.backward]
        if len(found) < layers:
            again = again[last:]  # the last segment was held
        expect(found, "layers in the backward pass").equals(again)


@pytest.mark.exercise("checkpointed_forward")
def test_gradients_are_those_without(impl, rng, torch_rng):
    """Output and gradients are those of the layers, for any number of segments"""
    for layers in (1, 2, 5, int(rng.integers(6, 12))):
        for segments in {1, (layers + 1) // 2, layers}:
            check_pass(impl, rng, network(rng, torch_rng, layers), segments, x_needs_grad=True)


@pytest.mark.exercise("checkpointed_forward")
def test_parameters_get_gradients_whatever_the_input_needs(impl, rng, torch_rng):
    """Parameters get gradients even if the input needs none, which stays so, or earlier layers are
    frozen"""
    layers = int(rng.integers(5, 8))
    for segments in (1, 3):
        for frozen in ([], [0, 1], [0, 1, 2, 3], [0, layers - 1]):
            net = network(rng, torch_rng, layers)
            found = check_pass(impl, rng, net, segments, frozen=frozen)
            expect(found["x_is_marked"], "whether x is marked").equals(False)


@pytest.mark.exercise("checkpointed_forward", needs="test_memory_is_saved")
def test_the_input_may_hold_integers(impl, rng, torch_rng):
    """Integer inputs, such as tokens, reach the first layer as they are, and gradients come"""
    for dtype in (torch.int64, torch.int32, torch.uint8):
        weights, x, output_grad = network(rng, torch_rng, 6)
        largest = torch.iinfo(dtype).max // 2  # beyond what float32 and float64 hold
        tokens = torch.randint(0, largest, x.shape, generator=torch_rng).to(dtype)
        check_pass(impl, rng, (weights, tokens, output_grad), 3)


@pytest.mark.exercise("checkpointed_forward", needs="test_memory_is_saved")
def test_random_layers_draw_the_same_numbers(impl, rng, torch_rng):
    """Layers with dropout draw the same numbers when they run again, and then new ones"""
    for segments in (1, 2, 5, 7):
        check_pass(impl, rng, network(rng, torch_rng, 7), segments, dropout=0.3)


@pytest.mark.exercise("checkpointed_forward", weight=0.5, needs="test_memory_is_saved")
def test_autocast_is_as_it_was(impl, rng, torch_rng):
    """Layers that ran under autocast run again under it, and others without"""
    for autocast in (True, False):
        net = network(rng, torch_rng, 6)
        runs, found, _ = run_pass(impl, rng, net, 3, autocast=autocast)
        expected = [autocast] * (len(runs.forward) + len(runs.backward))
        expect(found["autocast"], "whether each run met autocast").equals(expected)


@pytest.mark.exercise("checkpointed_forward", needs="test_memory_is_saved")
def test_the_list_may_change(impl, rng, torch_rng):
    """The layers that ran run again, even if the caller's list is empty by then"""
    for segments in (1, 2, 3, 6):
        check_pass(impl, rng, network(rng, torch_rng, 6), segments, clear_layers=True)


LAYERS, SEGMENTS, ELEMENTS = 64, 8, 2**19  # an activation takes 2 MiB in float32
# MiB, from before the implementation is imported: else it could take much memory first, and free
# it. Its imports and first calls take 20 to 45, most of it pages of torch's libraries, checkpointed
# activations up to 38, all of them 128. tests/CAMPAIGNS.md has what was measured.
ALLOWED = 112


def large_network(torch_rng):
    """Layers that mix all elements, by rolling them. So no part of them goes through alone.

    All activations are integers below 2^16, exact on every processor: no rounding decides about an
    element of a relu. The weights' signs alternate, which leaves elements of both signs for it.
    """
    weights = [torch.tensor((-1.0) ** i) for i in range(LAYERS)]
    x = torch.randint(-8, 9, (ELEMENTS,), generator=torch_rng).float()
    return weights, x, torch.randn(ELEMENTS, generator=torch_rng)


def output_of_large(runs, net):
    """The output, as `Runs.expected_output` has it, in less time."""
    weights, y, _ = net
    y, spare = y.clone(), torch.empty_like(y)
    for i, n in sorted(runs.forward):
        y, spare = rolling.layer_output(y, float(weights[i]), n, spare), y
    return y


def expected_of_large(runs, net):
    """Output and gradients of the weights, as `Runs.expected` has them, in less time."""
    weights, y, g = net
    numbers, again, parts = dict(runs.forward), dict(runs.backward), runs.parts()
    y, g, spare, starts = y.clone(), g.clone(), torch.empty_like(y), []
    for part in parts:
        starts.append(y.clone())
        for i in part:
            y, spare = rolling.layer_output(y, float(weights[i]), numbers[i], spare), y
    numbers |= again
    grads = [None] * len(weights)
    held = [torch.empty_like(y) for _ in range(max(map(len, parts)))]  # inputs of a part's layers
    for start, part in zip(reversed(starts), reversed(parts), strict=True):
        held[0] = start
        for at, i in enumerate(part[:-1]):
            rolling.layer_output(held[at], float(weights[i]), numbers[i], held[at + 1])
        for at, i in reversed(list(enumerate(part))):
            x_grad, grads[i] = rolling.layer_gradients(
                g, held[at], float(weights[i]), numbers[i], out=spare
            )
            g, spare = x_grad, g
    return y, grads


def memory_of_pass(impl, rng, torch_rng):
    """MiB that the process grows by until the end of the forward pass, and of the backward pass."""
    before = impl.peak_rss()

    net, peaks = large_network(torch_rng), []
    runs = Runs(net, lambda: int(rng.integers(ELEMENTS)), lambda: peaks.append(impl.peak_rss()))
    found = impl.scenarios.checkpointed_pass(net[0], net[1], SEGMENTS, runs.draw, runs.output_grad)
    peaks.append(impl.peak_rss())
    check_runs(runs, LAYERS, SEGMENTS)
    output, weight_grads = expected_of_large(runs, net)
    expect(runs.output, "the output").equals(output)
    scale = max(abs(float(grad)) for grad in weight_grads)
    expect(found["weight_grads"], "the gradients").close(weight_grads, rtol=1e-3, atol=1e-3 * scale)
    return [(peak - before) / MIB for peak in peaks]


@pytest.mark.exercise("checkpointed_forward", weight=2, needs="test_memory_is_saved")
def test_few_activations_are_held(impl, rng, torch_rng):
    """After the forward pass, only the segments' inputs are held"""
    # Eight inputs take 16 MiB, and a last segment that is held 16 more.
    grown, _ = memory_of_pass(impl, rng, torch_rng)
    assert grown < ALLOWED, f"{grown:.1f} MiB"


@pytest.mark.exercise("checkpointed_forward", weight=2)
def test_memory_is_saved(impl, rng, torch_rng):
    """In the whole pass, the process takes less memory than all activations together"""
    # Eight inputs and eight activations of a segment take 32 MiB.
    _, grown = memory_of_pass(impl, rng, torch_rng)
    assert grown < ALLOWED, f"{grown:.1f} MiB"


@pytest.mark.exercise("checkpointed_forward")
def test_without_gradients_nothing_is_held(impl, rng, torch_rng):
    """Under no_grad the output is the same, and nothing is held for a backward pass"""
    before = impl.peak_rss()
    for segments in (1, 3, 8):
        net = network(rng, torch_rng, 8)
        runs = Runs(net, lambda: float(rng.uniform(-1, 1)))
        found = impl.scenarios.checkpointed_pass(net[0], net[1], segments, runs.draw, None)
        check_runs(runs, 8, 1)
        expect(found["output"], "the output").close(runs.expected_output(), rtol=1e-10, atol=1e-12)
    net = large_network(torch_rng)
    runs = Runs(net, lambda: int(rng.integers(ELEMENTS)))
    # Each layer is a segment, or all are one: if their inputs were held, they would take 128.
    for segments in (LAYERS, 1):
        del runs.forward[:]
        found = impl.scenarios.checkpointed_pass(net[0], net[1], segments, runs.draw, None)
        grown = (impl.peak_rss() - before) / MIB
        assert grown < ALLOWED, f"{grown:.1f} MiB"
        check_runs(runs, LAYERS, 1)
        expect(found["output"], "the output").equals(output_of_large(runs, net))


# --- chunked_cross_entropy ---------------------------------------------------

NAMES = ("the loss", "the gradient of x", "the gradient of weight")
ROWS, WORDS, WIDTH = 512, 2**15, 4  # all logits take 64 MiB in float32, those of two rows 0.25


def head(rng, torch_rng, rows):
    """x, weight and targets of random sizes, in float64 and in any layout."""
    width, words = int(rng.integers(2, 9)), int(rng.integers(3, 30))
    targets = torch.randint(words, (rows,), generator=torch_rng)
    return f64(torch_rng, rows, width), f64(torch_rng, words, width), targets


def by_autograd(x, weight, targets):
    """Torch's loss of all rows at once, and its gradients, in float64."""
    x, weight = (tensor.detach().double().clone().requires_grad_() for tensor in (x, weight))
    loss = functional.cross_entropy(x @ weight.T, targets)
    return loss.detach(), *torch.autograd.grad(loss, (x, weight))


def check_even_chunks(later, rng, torch_rng, part, rtol):
    """Compares one of the three results with torch's, where all chunks have equally many rows."""

    def check(found, right):
        atol = rtol * float(right.abs().max())
        expect(found[part], NAMES[part]).close(right, rtol=rtol, atol=atol)

    for _ in range(12):
        chunk_size, chunks = (int(n) for n in rng.integers(2, 7, size=2))
        given = head(rng, torch_rng, chunk_size * chunks)
        right = by_autograd(*given)[part]
        call = later.recompute.chunked_cross_entropy(*given, chunk_size)
        call.then(lambda found, right=right: check(found, right))


def check_gradients(found, right, rtol=1e-9, of_largest=1e-9):
    """Compares gradients with torch's, each up to a factor, which is another test's."""
    for name, grad, other in zip(NAMES[1:], found, right, strict=False):
        atol = of_largest * float(other.abs().max())
        expect([grad], name).proportional([other], rtol=rtol, atol=atol)


@pytest.mark.exercise("chunked_cross_entropy", weight=2)
def test_one_chunks_logits_at_a_time(impl, torch_rng):
    """Memory does not grow by the logits of many chunks, or by a gradient of weight for each"""
    idle = impl.peak_rss()
    # A row's gradient depends on its few largest logits, and to know these takes all of them.
    x = 3 * torch.randn(ROWS, WIDTH, generator=torch_rng)
    weight = torch.randn(WORDS, WIDTH, generator=torch_rng)
    targets = torch.randint(WORDS, (ROWS,), generator=torch_rng)
    impl.scenarios.cross_entropy_in_chunks(x[:2], weight, targets[:2], 2)
    before = impl.peak_rss()
    found = impl.scenarios.cross_entropy_in_chunks(x, weight, targets, 2)
    after = impl.peak_rss()
    # Right code takes 3 MiB. Two chunks instead of 256 have logits of 32 MiB each, and what holds
    # all takes 64 or more. Second, all growth since before the import, which takes 25 to 50: else
    # the code could take much memory first, and free it. tests/CAMPAIGNS.md has the measurements.
    assert after - before < 16 * MIB, f"{(after - before) / MIB:.1f} MiB"
    assert after - idle < 70 * MIB, f"{(after - idle) / MIB:.1f} MiB, imports included"
    parts = zip(x.split(32), targets.split(32), strict=True)
    right = torch.cat([by_autograd(rows, weight, words)[1] for rows, words in parts])
    _, grad_x, _ = found["results"]
    check_gradients([grad_x], [right.float()], rtol=1e-3, of_largest=1e-3)


@pytest.mark.exercise("chunked_cross_entropy", needs="test_one_chunks_logits_at_a_time")
def test_loss_is_the_mean(later, rng, torch_rng):
    """The loss is torch's of all rows at once, as a tensor without axes"""
    check_even_chunks(later, rng, torch_rng, 0, rtol=1e-9)


@pytest.mark.exercise("chunked_cross_entropy", needs="test_one_chunks_logits_at_a_time")
def test_gradient_of_x(later, rng, torch_rng):
    """The gradient of x is autograd's"""
    check_even_chunks(later, rng, torch_rng, 1, rtol=1e-4)


@pytest.mark.exercise("chunked_cross_entropy", needs="test_one_chunks_logits_at_a_time")
def test_gradient_of_weight(later, rng, torch_rng):
    """The gradient of weight is autograd's, the sum over all chunks"""
    check_even_chunks(later, rng, torch_rng, 2, rtol=1e-4)


@pytest.mark.exercise("chunked_cross_entropy", needs="test_one_chunks_logits_at_a_time")
def test_any_chunk_size(impl, rng, torch_rng):
    """The chunk size changes no result, whether it divides the rows, is 1, or is larger than all"""
    for _ in range(6):
        chunk_size, chunks = (int(n) for n in rng.integers(2, 7, size=2))
        rows = chunk_size * chunks + int(rng.integers(1, chunk_size))
        given = head(rng, torch_rng, rows)
        whole = impl.recompute.chunked_cross_entropy(*given, rows)
        check_gradients(whole[1:], by_autograd(*given)[1:])
        for size in (chunk_size, 1, rows - 1, rows + chunk_size):
            found = impl.recompute.chunked_cross_entropy(*given, size)
            what = f"(loss, grad_x, grad_weight) of {rows} rows by {size}"
            expect(found, what).close(tuple(whole), rtol=1e-9, atol=1e-9)


@pytest.mark.exercise("chunked_cross_entropy", needs="test_one_chunks_logits_at_a_time")
def test_large_logits(impl, rng, torch_rng):
    """Loss and gradients are right for logits in the thousands, and for rows of different size"""
    for _ in range(4):
        x, weight, _ = head(rng, torch_rng, 1)
        x = x * (float(rng.uniform(3e3, 9e3)) / (x @ weight.T).abs().max())
        for target in range(len(weight)):  # also the largest logit's word, and the smallest's
            given = x, weight, torch.tensor([target])
            found = impl.recompute.chunked_cross_entropy(*given, 1)
            expect(found).close(by_autograd(*given), rtol=1e-9, atol=1e-9)
        x, weight, targets = head(rng, torch_rng, 6)
        given = x * torch.tensor([[1.0], [4e3]]).double().repeat(3, 1), weight, targets
        found = impl.recompute.chunked_cross_entropy(*given, 3)
        check_gradients(found[1:], by_autograd(*given)[1:])


@pytest.mark.exercise("chunked_cross_entropy", needs="test_one_chunks_logits_at_a_time")
def test_dtype_of_the_computation(impl, rng, torch_rng):
    """Float64 is computed in float64, and 16 bits in float32: only gradients are rounded, once"""
    for dtype in (torch.bfloat16, torch.float16) * 2:
        x, weight, targets = head(rng, torch_rng, 64)
        given = rearranged(x.to(dtype), torch_rng), rearranged(weight.to(dtype), torch_rng), targets
        wide = impl.recompute.chunked_cross_entropy(
            given[0].double(), given[1].double(), targets, 8
        )
        right = by_autograd(*given)
        check_gradients(wide[1:], right[1:])
        found = impl.recompute.chunked_cross_entropy(*given, 1)
        expect(found[0], NAMES[0]).close(wide[0].float(), rtol=1e-5)
        # Both are rounded, so they are neighbours at most.
        rounded = [grad.to(dtype) for grad in right[1:]]
        check_gradients(found[1:], rounded, rtol=1.01 * torch.finfo(dtype).eps, of_largest=1e-5)
