"""similarity_scores: vectors are scaled to length 1 first, as for cosine similarity

Breaks: The dot product of each query with each key.
"""


def similarity_scores(queries, keys):
    queries, keys = (x / x.norm(dim=-1, keepdim=True).clamp_min(1e-12) for x in (queries, keys))
    return einsum(queries, keys, "... q d, ... k d -> ... q k")
