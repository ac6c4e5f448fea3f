"""similarity_scores: exactly one leading axis is expected"""


def similarity_scores(queries, keys):
    return einsum(queries, keys, "batch q d, batch k d -> batch q k")
