"""Named axes: einops instead of `transpose(-2, -1)`, `view` and `dim=1`.

`...` means any number of leading axes, including none. Any size may be 0, unless a function says
otherwise. Results have the dtype of the input; in 16 bits, each product and each sum may be
rounded.
"""

from __future__ import annotations

import torch
from einops import einsum, rearrange
from jaxtyping import Float


def similarity_scores(
    queries: Float[torch.Tensor, "*batch q d"], keys: Float[torch.Tensor, "*batch k d"]
) -> Float[torch.Tensor, "*batch q k"]:
    """The dot product of each query with each key.

    The scores are raw: not divided by √d, not masked, without a softmax.

    Args:
        queries: q vectors of d features, with any number of leading axes.
        keys: k vectors of d features, with the same leading axes.

    Returns:
        For each query, a row of k scores. With d = 0 every score is an empty sum, 0.

    Source: Stanford CS336, lecture 2 (`x.transpose(-2, -1)`, and why names are better):

        x = torch.ones(2, 3, 4)
        similarity_scores(x, x)  # 2 × 3 × 3, all of it 4.0
    """
    raise NotImplementedError(
        "similarity_scores: not started; see assignment/writeup/named_axes.md, "
        "or make hint EX=similarity_scores"
    )


def project_heads(
    x: Float[torch.Tensor, "*batch total"], w: Float[torch.Tensor, "d_in d_out"]
) -> Float[torch.Tensor, "*batch projected"]:
    """Applies one projection to each head.

    The last axis of x is two axes in one: heads times d_in, with the heads as the outer axis, so
    that the features of one head are adjacent. Each head is multiplied by the same w. In the result
    the heads are the outer axis again.

    Args:
        x: total = heads · d_in features, with any number of leading axes.
        w: one projection for all heads; a head is a row vector, and becomes `head @ w`. d_in is at
            least 1.

    Returns:
        projected = heads · d_out features, with the same leading axes.

    Source: Stanford CS336, lecture 2. Its shapes, with 2 heads of 4 features:

        project_heads(torch.ones(2, 3, 8), torch.ones(4, 4))  # 2 × 3 × 8, all of it 4.0
    """
    raise NotImplementedError(
        "project_heads: not started; see assignment/writeup/named_axes.md, "
        "or make hint EX=project_heads"
    )
