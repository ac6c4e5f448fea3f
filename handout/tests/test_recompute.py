"""Activation checkpointing on small networks."""

import math

import pytest
import torch

from assignment.expect import expect


@pytest.mark.exercise("segments")
def test_ten_layers_in_four(impl):
    """Ten layers are split into four segments of 3, 3, 2 and 2"""
    expect(impl.recompute.segment_bounds(10, 4)).equals(
        [(0, 3), (3, 6), (6, 8), (8, 10)], hint="divmod(10, 4): two segments get one more layer"
    )


@pytest.mark.exercise("segments")
def test_best_of_sixteen(impl):
    """The best number of segments is 4 for sixteen layers, 2 for ten, and 1 for three"""
    expect(impl.recompute.best_segments(16)).equals(4, hint="4 + 4 = 8; 3 + 6 and 5 + 4 are more")
    expect(impl.recompute.best_segments(10)).equals(2, hint="2 + 5 = 3 + 4: take the smaller")
    expect(impl.recompute.best_segments(3)).equals(1, hint="1 + 3 = 2 + 2: take the smaller")


@pytest.mark.exercise("segments")
def test_random_splits(impl, rng):
    """Segments are in order, longer first, in a new list; the best number is the least one"""
    for i in range(10):
        layers = int(rng.integers(1, 60))
        segments = layers if i == 0 else int(rng.integers(1, layers + 1))
        for _ in range(2):
            found = impl.recompute.segment_bounds(layers, segments)
            expect(len(found), f"segments of {layers} layers").equals(segments)
            ends = [0, *(stop for _, stop in found)]
            expect([start for start, _ in found], "where they start").equals(ends[:-1])
            expect(ends[-1], "where the last one stops").equals(layers)
            sizes = [stop - start for start, stop in found]
            expect(
                sizes == sorted(sizes, reverse=True), f"are longer ones first in {sizes}"
            ).equals(True)
            expect(max(sizes) - min(sizes) <= 1, f"are sizes even in {sizes}").equals(True)
        costs = [n + -(-layers // n) for n in range(1, layers + 1)]
        expect(impl.recompute.best_segments(layers), f"best segments of {layers}").equals(
            1 + costs.index(min(costs))
        )


def weights(layers):
    generator = torch.Generator().manual_seed(1)
    return list(torch.randint(-8, 9, (layers, 3, 3), generator=generator).double() / 8)


X = torch.arange(-3.0, 3.0, dtype=torch.float64).view(2, 3) / 4


def ones(output):
    return torch.ones_like(output)


def passed(impl, weights, segments, **settings):
    """A forward and a backward pass: the report, and which layers ran in each."""
    ran = {"forward": [], "backward": []}
    now = ["forward"]

    def draw(i):  # called each time that a layer runs; the layer adds the answer
        ran[now[0]].append(i)
        return 0.0

    def output_grad(output):  # called between the two passes
        now[0] = "backward"
        return torch.ones_like(output)

    return impl.scenarios.checkpointed_pass(
        weights, X, segments, draw, output_grad, **settings
    ), ran


def plain_pass(weights, x=X, dropout=0.0, seed=0):
    """Output and gradients of a plain loop."""
    generator = torch.Generator().manual_seed(seed)
    tensors, y = [w.requires_grad_() for w in weights], x
    for w in tensors:
        y = torch.tanh(y @ w) * (torch.rand(X.shape, generator=generator) >= dropout)
    y.sum().backward()
    return y.detach(), [w.grad for w in tensors]


@pytest.mark.exercise("checkpointed_forward")
def test_same_gradients(impl):
    """Nine tanh layers in three segments give the output and gradients of a plain loop; x stays as
    it is"""
    output, grads = plain_pass(weights(9))
    found, _ = passed(impl, weights(9), 3)
    expect(found["output"], "the output").close(output, rtol=1e-10)
    expect(found["x_is_marked"], "is requires_grad or grad of the caller's x changed").equals(
        False, hint="the caller's x requires no gradient, and the call leaves it so"
    )
    for i, grad in enumerate(grads):
        expect(found["weight_grads"][i], f"the gradient of weight {i}").close(
            grad,
            rtol=1e-10,
            atol=1e-12,
            hint="with use_reentrant=False, parameters get gradients even if x needs none"
            if found["weight_grads"][i] is None
            else "a lambda in a loop sees the loop's last value: pass the layers as an argument",
        )


@pytest.mark.exercise("checkpointed_forward")
def test_which_layers_run(impl):
    """In the backward pass layers 6, 7, 8 may run again, then 3, 4, 5 and 0, 1, 2 must"""
    _, ran = passed(impl, weights(9), 3)
    expect(ran["forward"], "layers that ran in the forward pass").equals(list(range(9)))
    again = [6, 7, 8, 3, 4, 5, 0, 1, 2]
    if len(ran["backward"]) == 6:
        again = again[3:]  # the last segment was held, which is also right
    expect(ran["backward"], "layers that ran in the backward pass").equals(
        again,
        hint="a lambda in a loop sees the loop's last value: pass the layers as an argument"
        if ran["backward"]
        else "no layer ran again: `checkpoint` runs a segment's layers again",
    )


@pytest.mark.exercise("checkpointed_forward")
def test_what_is_held(impl):
    """With 25 layers in five segments, at most 11 outputs are held at once"""
    found, ran = passed(impl, weights(25), 5)
    held = found["held"]
    assert held <= 11, f"{held} outputs were held; expected 5 inputs, 5 of one segment and 1 more"
    assert len(ran["backward"]) >= 20, "too few layers ran again to compute the activations"


@pytest.mark.exercise("checkpointed_forward")
def test_the_same_random_numbers(impl, seed):
    """Layers with dropout have the same gradients in one, three and nine segments"""
    found = [passed(impl, weights(9), n, dropout=0.2, seed=seed)[0] for n in (1, 3, 9)]
    plain = plain_pass(weights(9), dropout=0.2, seed=seed)[1][0]
    for result in found:
        expect(result["weight_grads"][0], "the gradient of the first weight").close(
            plain, rtol=1e-10, atol=1e-12, hint="a layer must draw the same numbers again"
        )


@pytest.mark.exercise("checkpointed_forward")
def test_ten_layers_in_four_segments(impl):
    """Ten layers run again as (0, 3), (3, 6), (6, 8) and (8, 10); tokens may come in, and the list
    may change afterwards"""
    tokens = torch.tensor([[8, 9, 10], [4, 5, 13]])  # the first layer takes them modulo 7
    for x in (X, tokens):
        ran = []
        found = impl.scenarios.checkpointed_pass(
            weights(10), x, 4, lambda i, ran=ran: ran.append(i) or 0.0, ones, clear_layers=True
        )
        again = [8, 9, 6, 7, 3, 4, 5, 0, 1, 2]
        again = again[2:] if len(ran) == 18 else again  # the last segment may be held
        expect(ran[10:], "layers that ran in the backward pass").equals(
            again,
            hint="is segment_bounds(10, 4) right? Its tests are those of `segments`"
            if len(ran) > 10
            else "keep the layers of each segment: the caller may change the list",
        )
        y, _ = plain_pass(weights(10), x if x is X else (x % 7).double())
        expect(found["output"], "the output").close(y, rtol=1e-10)
    assert found["held"] <= 4 + 3 + 1, f"{found['held']} outputs were held, expected at most 8"


@pytest.mark.exercise("checkpointed_forward")
def test_without_gradients(impl):
    """Under torch.no_grad() the output is the same, and nothing is held"""
    held = []
    for segments in (1, 3):
        found = impl.scenarios.checkpointed_pass(weights(9), X, segments, lambda i: 0.0, None)
        expect(found["output"], "the output").close(plain_pass(weights(9))[0], rtol=1e-10)
        held.append(found["held"])
    assert max(held) <= 3, f"{max(held)} outputs were held; each layer needs only the one before"


@pytest.mark.exercise("checkpointed_forward")
def test_what_is_drawn_afterwards(impl, seed):
    """After both passes torch draws what it would draw without checkpointing"""
    found = passed(impl, weights(6), 3, dropout=0.2, seed=seed)[0]
    generator = torch.Generator().manual_seed(seed)
    for _ in range(6):
        torch.rand(X.shape, generator=generator)
    expect(found["drawn"], "the next draws").equals(
        torch.rand(3, dtype=torch.float64, generator=generator),
        hint="only the layers draw: nothing else may",
    )


@pytest.mark.exercise("chunked_cross_entropy")
def test_one_row_of_two_words(impl):
    """Logits log 3 and 0 mean 3/4 and 1/4: with the first word right, the loss is log 4/3, and the
    gradient of the logits (-1/4, 1/4)"""
    x, weight = tensor([[2.0]]), tensor([[math.log(3) / 2], [0.0]])
    loss, grad_x, grad_weight = impl.recompute.chunked_cross_entropy(x, weight, words(0), 1)
    expect(loss, "the loss").close(tensor(math.log(4 / 3)), rtol=1e-12)
    expect(grad_weight, "grad_weight").close(
        tensor([[-0.5], [0.5]]), rtol=1e-12, hint="each word's gradient of the logit, times x"
    )
    expect(grad_x, "grad_x").close(
        tensor([[-math.log(3) / 8]]),
        rtol=1e-12,
        hint="the gradients of the logits, times each word's weight",
    )


@pytest.mark.exercise("chunked_cross_entropy")
def test_a_smaller_last_chunk(impl):
    """Losses log 4/3, log 4/3 and log 2, two rows at a time, have the mean of all three, and
    gradients are divided by 3"""
    x, weight = tensor([[1.0], [1.0], [0.0]]), tensor([[math.log(3)], [0.0]])
    loss, grad_x, grad_weight = impl.recompute.chunked_cross_entropy(x, weight, words(0, 0, 0), 2)
    expect(loss, "the loss").close(
        tensor((2 * math.log(4 / 3) + math.log(2)) / 3),
        rtol=1e-12,
        hint="the mean over all rows, not over chunks",
    )
    expect(grad_weight, "grad_weight").close(
        tensor([[-1 / 6], [1 / 6]]), rtol=1e-12, hint="rows 1 and 2 have -1/4 · 1/3 each"
    )
    expect(grad_x, "grad_x").close(tensor([[-1.0], [-1.0], [-2.0]]) * math.log(3) / 12, rtol=1e-12)


@pytest.mark.exercise("chunked_cross_entropy")
def test_what_the_chunks_take(impl, torch_rng):
    """64 rows of 128 words, 2 at a time, take less than half of the 65,536 bytes of all logits"""
    x, weight = (randn(torch_rng, n, 2) for n in (64, 128))
    targets = torch.randint(128, (64,), generator=torch_rng)
    found = impl.scenarios.cross_entropy_in_chunks(x, weight, targets, 2)
    expect(found["results"], "(loss, grad_x, grad_weight)").close(
        by_autograd(x, weight, targets), rtol=1e-10, atol=1e-12
    )
    peak = found["peak_bytes"]
    assert peak < 2**15, (
        f"tensors of {peak} bytes were alive at once; a chunk's logits take 2,048, a gradient of "
        "weight 2,048, and the gradient of x 1,024"
    )


@pytest.mark.exercise("chunked_cross_entropy")
def test_random_heads_are_torchs(impl, rng, torch_rng):
    """With any chunk size, 1 and more than all rows too, loss and gradients are torch's, in any
    dtype"""
    for i in range(12):
        rows, vocab, width = (int(n) for n in rng.integers(2, 12, size=3))
        chunk_size = [1, rows + 3, int(rng.integers(1, rows + 1))][i % 3]
        dtype = [torch.float64, torch.float32, torch.bfloat16, torch.float16][i % 4]
        x, weight = (randn(torch_rng, n, width).to(dtype) for n in (rows, vocab))
        targets = torch.from_numpy(rng.integers(vocab, size=rows))
        found = impl.recompute.chunked_cross_entropy(x, weight, targets, chunk_size)
        right = by_autograd(x, weight, targets)
        wide = torch.promote_types(dtype, torch.float32)
        of = f"of {rows} rows by {chunk_size} in {dtype}"
        expect(found[0], f"the loss {of}").close(
            right[0].to(wide), rtol=1e-10 if dtype is torch.float64 else 1e-5, atol=1e-10
        )
        for name, grad, wanted in zip(("grad_x", "grad_weight"), found[1:], right[1:], strict=True):
            eps = torch.finfo(dtype).eps
            near = (
                {"rtol": eps, "atol": 1e-6} if wide is not dtype else {"rtol": 0, "atol": 20 * eps}
            )
            expect(grad, f"{name} {of}").close(
                wanted.to(dtype), **near, hint="16-bit numbers are computed in float32"
            )


@pytest.mark.exercise("chunked_cross_entropy")
def test_many_chunks_in_16_bits(impl):
    """The gradient of weight of 200 rows of 1 in bfloat16 is ±1/2, and not what rounded sums are"""
    x, weight = torch.ones(200, 1).bfloat16(), torch.zeros(2, 1).bfloat16()
    targets = torch.zeros(200, dtype=torch.int64)
    _, _, grad_weight = impl.recompute.chunked_cross_entropy(x, weight, targets, 1)
    expect(grad_weight, "grad_weight").equals(
        torch.tensor([[-0.5], [0.5]]).bfloat16(),
        hint="add 200 times 1/400 in float32, and round the sum",
    )


@pytest.mark.exercise("chunked_cross_entropy")
def test_logits_of_a_thousand(impl):
    """Logits 1000 and -1000, with the second word right, have the loss 2000; equal ones in the same
    chunk log 2"""
    x, weight = tensor([[1000.0], [0.0]]), tensor([[1.0], [-1.0]])
    loss, grad_x, grad_weight = impl.recompute.chunked_cross_entropy(x, weight, words(1, 0), 2)
    hint = "exp(1000) overflows: subtract the largest logit of each row first"
    expect(loss, "the loss").close(tensor(1000 + math.log(2) / 2), rtol=1e-12, hint=hint)
    expect(grad_x, "grad_x").close(tensor([[1.0], [-0.5]]), rtol=1e-12, hint=hint)
    expect(grad_weight, "grad_weight").close(tensor([[500.0], [-500.0]]), rtol=1e-12, hint=hint)


def tensor(values):
    return torch.tensor(values, dtype=torch.float64)


def words(*indices):
    return torch.tensor(indices)


def randn(torch_rng, *shape):
    return torch.randn(shape, generator=torch_rng, dtype=torch.float64)


def by_autograd(x, weight, targets):
    """Torch's loss of all rows at once, and its gradients, in float64."""
    x, weight = (t.detach().double().clone().requires_grad_() for t in (x, weight))
    loss = torch.nn.functional.cross_entropy(x @ weight.T, targets)
    return loss.detach(), *torch.autograd.grad(loss, (x, weight))
