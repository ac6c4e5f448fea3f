"""similarity_scores: leading axes are flattened by -1, which no queries or no features leave open

Breaks: With d = 0 every score is an empty sum, 0.

Breaks: Any size may be 0
"""


def similarity_scores(queries, keys):
    flat_queries = queries.reshape(-1, *queries.shape[-2:])
    flat_keys = keys.reshape(-1, *keys.shape[-2:])
    scores = torch.bmm(flat_queries, flat_keys.transpose(1, 2))
    return scores.reshape(*queries.shape[:-1], keys.shape[-2])
