"""Named axes, compared with block matrices, products in loops and numpy.

Most inputs are whole numbers, so that every order of the additions gives exactly the same result.
In float64 they go up to 2^20, so that a product of two does not fit float32.
"""

import itertools

import numpy as np
import pytest
import torch

from assignment.calls.layouts import rearranged
from assignment.expect import expect

AWKWARD = [1, 2, 3, 5, 17, 31, 32, 33]
LEADS = [(), (1,), (3,), (2, 3), (2, 1, 3), (1, 2, 2, 2)]


def different(rng, smallest=1):
    """Two different sizes: square weights are tested separately."""
    return [smallest + int(n) for n in rng.permutation(7)[:2]]


def size(rng):
    return int(rng.choice(AWKWARD))


def whole(torch_rng, *shape, limit=2**20, dtype=torch.float64):
    """Whole numbers from -limit to limit, in any layout."""
    numbers = torch.randint(-limit, limit + 1, shape, generator=torch_rng)
    return rearranged(numbers.to(dtype), torch_rng)


def each(lead):
    """The indices of leading axes."""
    return itertools.product(*map(range, lead))


# --- similarity_scores -------------------------------------------------------


def scored(torch_rng, *sizes, **how):
    """Queries and keys of a batch, each with its own numbers, and their scores."""
    batch, q, k, d = sizes
    queries, keys = whole(torch_rng, batch, q, d, **how), whole(torch_rng, batch, k, d, **how)
    return queries, keys, torch.bmm(queries.double(), keys.double().transpose(1, 2))


@pytest.mark.exercise("similarity_scores", weight=2)
def test_scores_are_dot_products(later, rng, torch_rng):
    """Scores are exact dot products in the inputs' dtype, each in its query's row"""
    for square in [True, False] * 8:
        lead, q, k, d = (int(rng.integers(1, 4)), size(rng), size(rng), size(rng))
        if square:  # where the result could be confused with its transpose
            q = k = d = int(rng.integers(2, 9))
        queries, keys, expected = scored(torch_rng, lead, q, k, d)
        later.named_axes.similarity_scores(queries, keys).equals(expected)


@pytest.mark.exercise("similarity_scores")
def test_scores_under_leading_axes(later, rng, torch_rng):
    """Leading axes, any number of them and none, stay as they are"""
    for lead in LEADS:
        q, k, d = (int(n) for n in rng.choice(np.arange(1, 6), size=3, replace=False))
        queries, keys = whole(torch_rng, *lead, q, d), whole(torch_rng, *lead, k, d)
        expected = torch.empty(*lead, q, k, dtype=torch.float64)
        for at in each(lead):
            expected[at] = queries[at] @ keys[at].T
        later.named_axes.similarity_scores(queries, keys).equals(expected)


@pytest.mark.exercise("similarity_scores")
def test_scores_keep_the_dtype(later, rng, torch_rng):
    """The scores have the dtype of queries and keys"""
    for dtype in (torch.float64, torch.float32, torch.bfloat16, torch.float16):
        sizes = [int(n) for n in rng.choice(np.arange(2, 8), size=4, replace=False)]
        # Sums of at most 7 products of at most 16: below 256, which even bfloat16 has exactly.
        queries, keys, expected = scored(torch_rng, *sizes, limit=4, dtype=dtype)
        later.named_axes.similarity_scores(queries, keys).equals(expected.to(dtype))


@pytest.mark.exercise("similarity_scores")
def test_scores_do_not_hide_nan(impl, rng, torch_rng):
    """A nan in a query makes all of its scores nan, and no others"""
    for _ in range(4):
        b, q, k, d = (int(n) for n in rng.choice(np.arange(2, 8), size=4, replace=False))
        queries, keys, expected = scored(torch_rng, b, q, k, d)
        row = int(rng.integers(b)), int(rng.integers(q))
        queries[*row, int(rng.integers(d))] = torch.nan
        found = expect(impl.named_axes.similarity_scores(queries, keys))
        found = found.is_tensor((b, q, k), torch.float64)
        expect(found[row].isnan(), "where the query's scores are nan").equals(
            torch.ones(k, dtype=torch.bool)
        )
        expected[row] = 0
        expect(found.nan_to_num(0), "the scores of other queries").equals(expected)


@pytest.mark.exercise("similarity_scores")
def test_scores_without_elements(later, rng, torch_rng):
    """Any size may be 0, and without features every score is 0"""
    for empty in range(4):
        sizes = [int(n) for n in rng.integers(2, 6, size=4)]
        for _ in range(2):
            queries, keys, expected = scored(torch_rng, *sizes)
            later.named_axes.similarity_scores(queries, keys).equals(expected)
            sizes[empty] = 0


# --- project_heads -----------------------------------------------------------


def check_projected(later, rng, torch_rng, rows=3, heads=3, d_out=2):
    """Compares with the heads' own products, next to each other."""
    d_in = int(rng.integers(6, 9))  # not d_out: square weights are tested separately
    x, w = whole(torch_rng, rows, heads * d_in), whole(torch_rng, d_in, d_out)
    products = [x[:, i * d_in : (i + 1) * d_in] @ w for i in range(heads)]
    expected = torch.cat(products, dim=1) if products else x.new_zeros(rows, 0)
    later.named_axes.project_heads(x, w).equals(expected)


@pytest.mark.exercise("project_heads", weight=2)
def test_every_head_meets_the_same_projection(later, rng, torch_rng):
    """Projecting all heads equals one product with a block-diagonal matrix"""
    for square in [True, False] * 8:
        rows, heads, d_in, d_out = (*rng.integers(1, 6, size=2).tolist(), size(rng), size(rng))
        if square:  # where w could be confused with its transpose
            d_in = d_out = int(rng.integers(2, 9))
        x, w = whole(torch_rng, rows, heads * d_in), whole(torch_rng, d_in, d_out)
        later.named_axes.project_heads(x, w).equals(x @ torch.block_diag(*[w] * heads))


@pytest.mark.exercise("project_heads")
def test_heads_are_outermost(later, rng, torch_rng):
    """The features of a head are adjacent, before and after the projection"""
    for _ in range(12):
        heads, (d_in, d_out) = int(rng.integers(2, 6)), different(rng, smallest=2)
        head = int(rng.integers(heads))
        features, w = whole(torch_rng, d_in), whole(torch_rng, d_in, d_out)
        x = torch.zeros(heads * d_in, dtype=torch.float64)
        x[head * d_in : (head + 1) * d_in] = features
        expected = torch.zeros(heads * d_out, dtype=torch.float64)
        expected[head * d_out : (head + 1) * d_out] = features @ w
        later.named_axes.project_heads(x, w).equals(expected)


@pytest.mark.exercise("project_heads")
def test_heads_under_leading_axes(later, rng, torch_rng):
    """Leading axes, any number of them and none, stay as they are"""
    for lead in LEADS:
        heads, (d_in, d_out) = int(rng.integers(1, 6)), different(rng)
        x, w = whole(torch_rng, *lead, heads * d_in), whole(torch_rng, d_in, d_out)
        expected = torch.empty(*lead, heads * d_out, dtype=torch.float64)
        for at in each(lead):
            expected[at] = x[at] @ torch.block_diag(*[w] * heads)
        later.named_axes.project_heads(x, w).equals(expected)


@pytest.mark.exercise("project_heads")
def test_projected_heads_keep_the_dtype(later, rng, torch_rng):
    """The result has the dtype of x and w"""
    for dtype in (torch.float64, torch.float32, torch.bfloat16, torch.float16):
        heads, (d_in, d_out) = int(rng.integers(1, 8)), different(rng)
        # Sums of at most 7 products of at most 16: below 256, which even bfloat16 has exactly.
        x = whole(torch_rng, 3, heads * d_in, limit=4, dtype=dtype)
        w = whole(torch_rng, d_in, d_out, limit=4, dtype=dtype)
        expected = (x.double() @ torch.block_diag(*[w.double()] * heads)).to(dtype)
        later.named_axes.project_heads(x, w).equals(expected)


@pytest.mark.exercise("project_heads")
def test_heads_without_elements(later, rng, torch_rng):
    """The numbers of rows, heads and projected features may be 0"""
    for empty in range(3):
        sizes = [int(n) for n in rng.integers(2, 6, size=3)]
        for _ in range(2):
            check_projected(later, rng, torch_rng, *sizes)
            sizes[empty] = 0
