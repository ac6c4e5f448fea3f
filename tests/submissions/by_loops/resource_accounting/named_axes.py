"""Named axes, in loops over plain numbers."""

import itertools
import math

import torch


def _filled(shape, dtype, entry):
    """A tensor whose element at each index is `entry(*index)`."""
    values = [entry(*index) for index in itertools.product(*map(range, shape))]
    return torch.tensor(values, dtype=torch.float64).reshape(shape).to(dtype)


def _under_leading_axes(lead, shape, dtype, one):
    result = torch.empty(*lead, *shape, dtype=dtype)
    for at in itertools.product(*map(range, lead)):
        result[at] = one(at)
    return result


def similarity_scores(queries, keys):
    *lead, q, d = queries.shape
    k = keys.shape[-2]

    def one(at):
        left, right = queries[at].tolist(), keys[at].tolist()

        def score(i, j):
            total = 0.0
            for f in range(d):
                total += left[i][f] * right[j][f]
            return total

        return _filled((q, k), queries.dtype, score)

    return _under_leading_axes(lead, (q, k), queries.dtype, one)


def project_heads(x, w):
    *lead, total = x.shape
    d_in, d_out = w.shape
    if d_in == 0:
        raise ValueError("heads have no features")
    heads = 0
    while heads * d_in < total:
        heads += 1
    if heads * d_in != total:
        raise ValueError("the last head is broken")
    weight = w.tolist()

    def one(at):
        row = x[at].tolist()

        def feature(place):
            head, out = divmod(place, d_out)
            found = 0.0
            for i in range(d_in):
                found += row[head * d_in + i] * weight[i][out]
            return found

        return _filled((heads * d_out,), x.dtype, feature)

    return _under_leading_axes(lead, (heads * d_out,), x.dtype, one)
