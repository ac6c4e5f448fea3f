"""tiled_softmax: tiles shorter than the first are left out

Breaks: t may differ from tile to tile.
"""


def attention_by_tiles(q, tiles):
    largest = torch.full((len(q), 1), -math.inf, dtype=q.dtype)
    total, output = torch.zeros_like(largest), 0
    size = None
    for k, v in tiles:
        size = size or len(k)
        if len(k) < size:
            break
        scores = q @ k.T / math.sqrt(q.shape[1])
        new = torch.maximum(largest, scores.amax(dim=1, keepdim=True))
        weights, factor = torch.exp(scores - new), torch.exp(largest - new)
        total = total * factor + weights.sum(dim=1, keepdim=True)
        output = output * factor + weights @ v
        largest = new
    return output / total
