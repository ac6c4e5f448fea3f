"""Fast functions must also be correct: here on a CPU, where every dtype is kept.

Sums of a few dozen terms in another order differ by 1e-14 of the largest term in float64, and after
some matrix products by a hundred times as much; in float32 they differ by 6e-8 to 1e-5.
"""

from types import SimpleNamespace

import pytest
import torch
from torch.nn import functional

from assignment import scenarios
from assignment.expect import expect
from assignment.material.optimizer_runs import OptimizerRuns
from assignment.programs import naive

# --- matmul_chain -------------------------------------------------------------


def matrices(torch_rng, count, n, dtype=torch.float64):
    return list(torch.randn(count, n, n, generator=torch_rng, dtype=dtype))


@pytest.mark.exercise("fast_products")
def test_products_and_norms_by_turns(impl, rng, torch_rng):
    """The result is that of the docstring's loop: product, leaky ReLU, norm of each row, in x's
    dtype"""
    for count in (1, 2, 5):
        x, *weights = matrices(torch_rng, count + 1, int(rng.integers(3, 20)))
        x *= 10.0 ** int(rng.integers(-3, 4))
        found = impl.performance.matmul_chain(x, weights)
        expect(found).close(naive.matmul_chain(x, weights), rtol=1e-9, atol=1e-9)


@pytest.mark.exercise("fast_products")
def test_tiny_rows(impl, torch_rng):
    """Nothing is added to the mean square, even if it is tiny"""
    x, weight = matrices(torch_rng, 2, 8)
    x *= 1e-9
    found = impl.performance.matmul_chain(x, [weight])
    expect(found).close(naive.matmul_chain(x, [weight]), rtol=1e-9, atol=1e-9)


@pytest.mark.exercise("fast_products")
def test_weights_that_come_again(impl, rng, torch_rng):
    """The same weight may occur several times"""
    order = [1, *map(int, rng.permutation([1, 2, 2, 3, 3])), 2]
    check_chains(impl, matrices(torch_rng, 4, 8), [[0, *order]])


@pytest.mark.exercise("fast_products")
def test_float32_stays_float32(impl, torch_rng):
    """On a CPU the products are not computed in bfloat16"""
    x, *weights = matrices(torch_rng, 4, 16, torch.float32)
    exactly = naive.matmul_chain(x.double(), [weight.double() for weight in weights])
    found = impl.performance.matmul_chain(x, weights)
    expect(found).close(exactly.float(), rtol=1e-3, atol=1e-4)


@pytest.mark.exercise("fast_products")
def test_inputs_stay_as_they_are(impl, rng, torch_rng):
    """x and the weights do not change"""
    # A weight of one chain is the next one's x: a product shows all of a weight's rows, while the
    # norms hide the scale of those of x.
    chains = [rng.permutation([0, 1, 2, 3, 2]), *(rng.permutation(4) for _ in range(4))]
    chains = [[int(n) for n in chain] for chain in chains]
    check_chains(impl, matrices(torch_rng, 4, 6), chains)


def check_chains(impl, given, chains):
    found = impl.scenarios.products(given, chains)
    expected = [naive.matmul_chain(given[x], [given[i] for i in order]) for x, *order in chains]
    expect(found, "the results").close(expected, rtol=1e-9, atol=1e-9)


# --- causal_attention and training_step -------------------------------------------


def heads(rng, torch_rng, length, scale=1.0):
    """q, k and v of random sizes."""
    shape = (3, int(rng.integers(1, 4)), int(rng.integers(1, 4)), length, int(rng.integers(2, 20)))
    q, k, v = torch.randn(shape, generator=torch_rng, dtype=torch.float64)
    return scale * q, scale * k, v


@pytest.mark.exercise("fast_training", weight=2)
def test_attention_of_random_heads(impl, rng, torch_rng):
    """Attention, in the dtype of q, is the softmax of the scaled scores of a position and all
    earlier ones"""
    for length in (1, 2, int(rng.integers(3, 30))):
        q, k, v = heads(rng, torch_rng, length)
        found = impl.performance.causal_attention(q, k, v)
        expect(found).close(naive.causal_attention(q, k, v), rtol=1e-9, atol=1e-9)


@pytest.mark.exercise("fast_training")
def test_large_scores(impl, rng, torch_rng):
    """Attention works with scores in the thousands, whose exponentials overflow every dtype"""
    q, k, v = heads(rng, torch_rng, 12, scale=60.0)
    # The only score of the first position is far below 0. The two of the second are similar.
    k[..., 0, :] = -q[..., 0, :]
    nearer = q[..., 1, :] * q.shape[-1] ** 0.5 / q[..., 1, :].square().sum(-1, keepdim=True)
    k[..., 1, :] = k[..., 0, :] + nearer
    found = impl.performance.causal_attention(q, k, v)
    expect(found).close(naive.causal_attention(q, k, v), rtol=1e-9, atol=1e-9)


def plain_step(model, optimizer, tokens):
    optimizer.zero_grad()
    logits = model(tokens[:, :-1])
    functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten()).backward()
    optimizer.step()


PLAIN = SimpleNamespace(
    performance=SimpleNamespace(causal_attention=naive.causal_attention, training_step=plain_step)
)


def check_steps(impl, rng, steps, dtype=torch.float64, **settings):
    """Compares the parameters after some steps on random texts with plain steps in float64."""
    vocabulary = int(rng.integers(5, 20))
    shape = (steps, int(rng.integers(2, 5)), int(rng.integers(4, 9)))
    batches = list(torch.from_numpy(rng.integers(vocabulary, size=shape)))
    settings["vocabulary"] = vocabulary
    expected = scenarios.find("language_model_updates")(PLAIN, batches, **settings)
    found = impl.scenarios.language_model_updates(batches, dtype=dtype, **settings)
    near = 1e-8 if dtype is torch.float64 else 1e-4
    expect(found, "the parameters").close([p.to(dtype) for p in expected], rtol=near, atol=near)


@pytest.mark.exercise("fast_training")
def test_one_step(impl, rng):
    """A step, which returns nothing and keeps dtypes, follows the gradient of the mean loss over
    all next tokens"""
    check_steps(impl, rng, 1)


@pytest.mark.exercise("fast_training")
def test_a_step_in_float32(impl, rng):
    """Autocast to bfloat16 is used only on CUDA devices"""
    check_steps(impl, rng, 1, torch.float32)


@pytest.mark.exercise("fast_training")
def test_many_steps(impl, rng):
    """Each step starts with cleared gradients"""
    check_steps(impl, rng, 5)


@pytest.mark.exercise("fast_training")
def test_gradients_from_before(impl, rng):
    """Gradients from before the first step are ignored"""
    check_steps(impl, rng, 4, optimizers=2)


# --- adamw_update -----------------------------------------------------------------

SHAPES = [(), (3,), (2, 5), (4, 1, 3)]


def adamw(params, grads, **settings):
    """Parameters and moments of torch's AdamW after all steps."""
    params = [torch.nn.Parameter(p.clone()) for p in params]
    optimizer = torch.optim.AdamW(params, foreach=False, **settings)
    for these in grads:
        for p, g in zip(params, these, strict=True):
            p.grad = g.clone()
        optimizer.step()
    moments = {
        f"{name}s": [optimizer.state[p][name] for p in params] for name in ("exp_avg", "exp_avg_sq")
    }
    return {"params": [p.detach() for p in params], **moments}


def check_adamw(impl, rng, torch_rng, steps, shapes=SHAPES, **settings):
    """Compares steps with random settings, in which every term matters, with torch's AdamW."""
    settings = {
        "lr": float(rng.uniform(0.01, 0.05)),
        "betas": (float(rng.uniform(0.7, 0.95)), float(rng.uniform(0.9, 0.995))),
        "eps": float(rng.uniform(0.05, 0.5)),
        "weight_decay": float(rng.uniform(0.05, 0.5)),
    } | settings

    def drawn():
        return [torch.randn(shape, generator=torch_rng, dtype=torch.float64) for shape in shapes]

    params, grads = drawn(), [drawn() for _ in range(steps)]
    expected = adamw(params, grads, **settings)
    stacked = [torch.stack(tensors) for tensors in zip(*grads, strict=True)]
    zeros = [[torch.zeros_like(p) for p in params] for _ in range(2)]
    left = OptimizerRuns(impl).steps(
        "performance.adamw_update", params, stacked, zeros, first_step=1, **settings
    )
    moments = [expected["exp_avgs"], expected["exp_avg_sqs"]]
    expect(left["params"], "params").close(expected["params"], rtol=1e-9, atol=1e-10)
    expect(left["states"], "moments").close(moments, rtol=1e-9, atol=1e-10)
    expect(left["grads"], "the gradients afterwards").equals(grads)


@pytest.mark.exercise("fast_adamw")
def test_first_step(impl, rng, torch_rng):
    """The first step agrees with torch's AdamW, also of a single tensor"""
    check_adamw(impl, rng, torch_rng, 1)
    check_adamw(impl, rng, torch_rng, 1, shapes=SHAPES[:1])


@pytest.mark.exercise("fast_adamw", weight=2)
def test_many_steps_of_adamw(impl, rng, torch_rng):
    """Many steps change parameters and moments in place as torch's AdamW does; gradients stay"""
    check_adamw(impl, rng, torch_rng, 40)


@pytest.mark.exercise("fast_adamw")
def test_without_decay(impl, rng, torch_rng):
    """Without decay and with a tiny eps, steps agree with torch's AdamW"""
    check_adamw(impl, rng, torch_rng, 10, weight_decay=0.0, eps=1e-8)


@pytest.mark.exercise("fast_adamw")
def test_no_memory(impl, rng, torch_rng):
    """With betas of zero, each step depends only on its own gradient"""
    check_adamw(impl, rng, torch_rng, 5, betas=(0.0, 0.0))
