"""similarity_scores: everything is computed in float32

Breaks: Results have the dtype of the input
"""


def similarity_scores(queries, keys):
    return einsum(queries.float(), keys.float(), "... q d, ... k d -> ... q k")
