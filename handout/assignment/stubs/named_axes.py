"""Named axes: einops instead of transposes and views."""

from __future__ import annotations

import torch
from jaxtyping import Float


def similarity_scores(
    queries: Float[torch.Tensor, "*batch q d"], keys: Float[torch.Tensor, "*batch k d"]
) -> Float[torch.Tensor, "*batch q k"]:
    """The dot product of each query with each key."""
    raise NotImplementedError(
        "similarity_scores: not started; see assignment/writeup/named_axes.md, "
        "or make hint EX=similarity_scores"
    )


def project_heads(
    x: Float[torch.Tensor, "*batch total"], w: Float[torch.Tensor, "d_in d_out"]
) -> Float[torch.Tensor, "*batch projected"]:
    """Applies one projection to each head."""
    raise NotImplementedError(
        "project_heads: not started; see assignment/writeup/named_axes.md, "
        "or make hint EX=project_heads"
    )


def pool(x: Float[torch.Tensor, "*batch seq d"], how: str) -> Float[torch.Tensor, "*batch d"]:
    """Reduces the positions to one."""
    raise NotImplementedError(
        "pooled_reduction: not started; see assignment/writeup/named_axes.md, "
        "or make hint EX=pooled_reduction"
    )
