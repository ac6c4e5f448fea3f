"""tiled_softmax: the tiles are kept in a list, for a second pass

Breaks: neither tiles that were used nor their scores are kept.

Costs: that neither tiles nor scores are kept is part of the work, which each check needs.
"""


def attention_by_tiles(q, tiles):
    tiles, root = list(tiles), math.sqrt(q.shape[1])
    largest = torch.stack([(q @ k.T / root).amax(dim=1) for k, _ in tiles]).amax(dim=0)[:, None]
    total, output = 0, 0
    for k, v in tiles:
        weights = torch.exp(q @ k.T / root - largest)
        total = total + weights.sum(dim=1, keepdim=True)
        output = output + weights @ v
    return output / total
