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


@pytest.mark.exercise("project_heads")
def test_two_heads_of_two_features(impl):
    """The heads (1, 2) and (3, 4) are projected to (1, 3) and (3, 7)"""
    w = torch.tensor([[1.0, 1.0], [0.0, 1.0]])
    expect(impl.named_axes.project_heads(torch.tensor([1.0, 2.0, 3.0, 4.0]), w)).equals(
        torch.tensor([1.0, 3.0, 3.0, 7.0]),
        hint="(heads d_in): the first name varies slowest, so a head's features are adjacent",
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
def test_refuses_a_broken_head(impl):
    """9 features are refused for heads of 4, since they are not whole heads; 8 are"""
    expect(impl.named_axes.project_heads(torch.ones(8), torch.ones(4, 1))).equals(
        torch.tensor([4.0, 4.0])
    )
    with pytest.raises(ValueError):
        impl.named_axes.project_heads(torch.ones(9), torch.ones(4, 1))


@pytest.mark.exercise("pooled_reduction")
def test_pools_two_positions(impl):
    """The mean, sum, max and min of the positions (1, 5) and (3, 4)"""
    x = torch.tensor([[1.0, 5.0], [3.0, 4.0]])
    for how, pooled in {
        "mean": [2.0, 4.5],
        "sum": [4.0, 9.0],
        "max": [3.0, 5.0],
        "min": [1.0, 4.0],
    }.items():
        expect(impl.named_axes.pool(x, how), f"the {how}").equals(
            torch.tensor(pooled), hint="the axis of the positions, the second to last, is removed"
        )


@pytest.mark.exercise("pooled_reduction")
def test_pools_what_is_empty(impl):
    """The sum over no positions is 0; their mean is refused"""
    expect(impl.named_axes.pool(torch.ones(2, 0, 3), "sum")).equals(torch.zeros(2, 3))
    with pytest.raises(ValueError):
        impl.named_axes.pool(torch.ones(2, 0, 3), "mean")


@pytest.mark.exercise("pooled_reduction")
def test_refuses_an_unknown_reduction(impl):
    """An unknown reduction such as the median is refused"""
    expect(impl.named_axes.pool(torch.ones(2, 3), "max")).equals(torch.ones(3))
    with pytest.raises(ValueError):
        impl.named_axes.pool(torch.ones(2, 3), "median")
