"""tiled_softmax: the first tile's maximum serves all tiles

Breaks: No element becomes inf or nan while scores are between -10,000 and 10,000.

Costs: rescaling by a running maximum is the work, which each check needs.
"""


def attention_by_tiles(q, tiles):
    largest, total, output = None, 0, 0
    for k, v in tiles:
        scores = q @ k.T / math.sqrt(q.shape[1])
        if largest is None:
            largest = scores.amax(dim=1, keepdim=True)
        weights = torch.exp(scores - largest)
        total = total + weights.sum(dim=1, keepdim=True)
        output = output + weights @ v
    return output / total
