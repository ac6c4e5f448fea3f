"""tiled_softmax: the output is added up in float32

Breaks: in q's dtype
"""


def attention_by_tiles(q, tiles):
    largest, output = torch.full((len(q), 1), -math.inf), None
    total = torch.zeros(len(q), 1)
    for k, v in tiles:
        scores = q @ k.T / math.sqrt(q.shape[1])
        new = torch.maximum(largest, scores.amax(dim=1, keepdim=True))
        weights, factor = torch.exp(scores - new), torch.exp(largest - new)
        if output is None:
            output = torch.zeros(len(q), v.shape[1])
        output *= factor
        output += weights @ v
        total *= factor
        total += weights.sum(dim=1, keepdim=True)
        largest = new
    return output / total
