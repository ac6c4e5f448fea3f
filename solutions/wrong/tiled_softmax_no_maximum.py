"""tiled_softmax: exponentials of the scores themselves

Breaks: No element becomes inf or nan while scores are between -10,000 and 10,000.

Costs: rescaling by a running maximum is the work, which each check needs.
"""


def attention_by_tiles(q, tiles):
    total, output = 0, 0
    for k, v in tiles:
        weights = torch.exp(q @ k.T / math.sqrt(q.shape[1]))
        total = total + weights.sum(dim=1, keepdim=True)
        output = output + weights @ v
    return output / total
