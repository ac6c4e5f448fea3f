"""Named axes without names: matmul, unflatten and reductions by dimension."""

import torch


def similarity_scores(queries, keys):
    return (keys @ queries.mT).transpose(-1, -2)


def project_heads(x, w):
    total = x.size(-1)
    if not w.size(0):
        raise ValueError("a head needs features")
    heads, left = divmod(total, w.size(0))
    if left:
        raise ValueError(f"{left} features left over")
    parts = [x.narrow(-1, head * w.size(0), w.size(0)).matmul(w) for head in range(heads)]
    return torch.cat([x.new_empty(*x.shape[:-1], 0), *parts], dim=-1)
