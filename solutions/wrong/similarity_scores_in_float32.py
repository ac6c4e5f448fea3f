"""similarity_scores: everything is computed in float32"""


def similarity_scores(queries, keys):
    return einsum(queries.float(), keys.float(), "... q d, ... k d -> ... q k")
