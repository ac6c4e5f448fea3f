"""similarity_scores: keys after the query's own position are masked

Breaks: not masked,
"""


def similarity_scores(queries, keys):
    scores = einsum(queries, keys, "... q d, ... k d -> ... q k")
    later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    return scores.masked_fill(later, float("-inf"))
