"""Named axes, with numbers to check by hand."""

import pytest
import torch

from assignment.expect import expect


@pytest.mark.exercise("similarity_scores")
def test_scores_of_two_queries(impl):
    """The queries (1, 2) and (0, 3) score 2, −1, 3 and 3, 0, 3 with three keys"""
    queries = torch.tensor([[1.0, 2.0], [0.0, 3.0]])
    keys = torch.tensor([[0.0, 1.0], [-1.0, 0.0], [1.0, 1.0]])
    expect(impl.named_axes.similarity_scores(queries, keys)).equals(
        torch.tensor([[2.0, -1.0, 3.0], [3.0, 0.0, 3.0]]),
        hint="one row per query, one entry per key; the scores are not scaled",
    )


@pytest.mark.exercise("similarity_scores")
def test_scores_of_the_lecture(impl):
    """The lecture's 2×3×4 tensor of ones gives 2×3×3 scores of 4.0"""
    x = torch.ones(2, 3, 4)
    expect(impl.named_axes.similarity_scores(x, x)).equals(torch.full((2, 3, 3), 4.0))
    expect(impl.named_axes.similarity_scores(x[0], x[0])).equals(
        torch.full((3, 3), 4.0), hint="`...` in a pattern also matches no axes at all"
    )


@pytest.mark.exercise("similarity_scores")
def test_random_scores(impl, rng):
    """Any number of leading axes and any size, 0 too, in the dtype given; a nan stays one"""
    dtypes = [torch.float64, torch.bfloat16, torch.float32]
    for i in range(9):
        lead, (q, k, d) = [(), (2,), (2, 1, 3)][i % 3], (int(n) for n in rng.integers(0, 5, size=3))
        queries, keys = (
            torch.from_numpy(rng.integers(-3, 4, size=(*lead, n, d))).to(dtypes[i % 3])
            for n in (q, k)
        )
        found = impl.named_axes.similarity_scores(queries, keys)
        what = f"scores of {tuple(queries.shape)} and {tuple(keys.shape)} in {queries.dtype}"
        expect(found, what).equals(queries @ keys.transpose(-2, -1))
    for q, d in [(0, 3), (2, 0)]:
        found = impl.named_axes.similarity_scores(torch.ones(2, q, d), torch.ones(2, 4, d))
        expect(found, f"scores of {q} queries of {d} features").equals(torch.zeros(2, q, 4))
    precise = torch.tensor([[1 + 2.0**-40, float("nan")]], dtype=torch.float64)
    found = impl.named_axes.similarity_scores(precise, precise)
    expect(found, "scores with a nan").is_tensor((1, 1), torch.float64)
    expect(bool(found.isnan()), "is the score of a nan nan").equals(True)
    found = impl.named_axes.similarity_scores(precise[:, :1], precise[:, :1])
    expect(found, "the score in float64").equals(precise[:, :1] ** 2)


@pytest.mark.exercise("project_heads")
def test_two_heads_of_two_features(impl):
    """The heads (1, 2) and (3, 4) are projected to (1, 3) and (3, 7)"""
    w = torch.tensor([[1.0, 1.0], [0.0, 1.0]])
    expect(impl.named_axes.project_heads(torch.tensor([1.0, 2.0, 3.0, 4.0]), w)).equals(
        torch.tensor([1.0, 3.0, 3.0, 7.0]),
        hint="each head, 2 numbers side by side, is multiplied by w, and stays by itself",
    )


@pytest.mark.exercise("project_heads")
def test_heads_of_the_lecture(impl):
    """The lecture's two heads of 4 ones, each times a 4×4 matrix of ones, give 4.0"""
    expect(impl.named_axes.project_heads(torch.ones(2, 3, 8), torch.ones(4, 4))).equals(
        torch.full((2, 3, 8), 4.0)
    )
    expect(impl.named_axes.project_heads(torch.ones(2, 3, 8), torch.ones(4, 5))).equals(
        torch.full((2, 3, 10), 4.0), hint="two heads of 5 features each"
    )


@pytest.mark.exercise("project_heads")
def test_random_heads(impl, rng):
    """Each head is projected by itself, with any sizes, in the dtype given; there may be no head"""
    for i in range(8):
        lead, heads = [(), (2,), (2, 3)][i % 3], int(rng.integers(0 if i == 7 else 2, 4))
        d_in, d_out = (int(n) for n in rng.integers(2, 5, size=2))
        dtype = [torch.float64, torch.bfloat16][i % 2]
        x = torch.from_numpy(rng.integers(-3, 4, size=(*lead, heads * d_in))).to(dtype)
        w = torch.from_numpy(rng.integers(-3, 4, size=(d_in, d_out))).to(dtype)
        parts = [x[..., n * d_in : (n + 1) * d_in] @ w for n in range(heads)]
        expected = torch.cat(parts, -1) if parts else x.new_zeros(*lead, 0)
        found = impl.named_axes.project_heads(x, w)
        expect(found, f"{heads} heads of {tuple(x.shape)} and w {tuple(w.shape)}").equals(expected)
