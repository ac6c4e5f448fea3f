"""similarity_scores: the queries' axis comes last, which is not noticed if q is k

Breaks: For each query, a row of k scores.
"""


def similarity_scores(queries, keys):
    scores = einsum(keys, queries, "... k d, ... q d -> ... k q")
    return scores.reshape(*queries.shape[:-1], keys.shape[-2])
