"""tiled_softmax: the scores and the values of all tiles are kept

Breaks: neither tiles that were used nor their scores are kept.

Costs: that neither tiles nor scores are kept is part of the work, which each check needs.
"""


def attention_by_tiles(q, tiles):
    scores, values = [], []
    for k, v in tiles:
        scores.append(q @ k.T / math.sqrt(q.shape[1]))
        values.append(v)
    weights = torch.softmax(torch.cat(scores, dim=1), dim=1)
    return weights @ torch.cat(values)
