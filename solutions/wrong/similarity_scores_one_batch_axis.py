"""similarity_scores: exactly one leading axis is expected

Breaks: `...` means any number of leading axes, including none.

Breaks: q vectors of d features, with any number of leading axes.

Breaks: k vectors of d features, with the same leading axes.
"""


def similarity_scores(queries, keys):
    return einsum(queries, keys, "batch q d, batch k d -> batch q k")
