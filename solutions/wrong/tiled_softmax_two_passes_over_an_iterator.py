"""tiled_softmax: a second pass over the tiles, which finds none

Breaks: Each tile is taken once

Costs: nothing is right without the second pass.
"""


def attention_by_tiles(q, tiles):
    largest = torch.full((len(q), 1), -math.inf, dtype=q.dtype)
    for k, v in tiles:
        scores = q @ k.T / math.sqrt(q.shape[1])
        largest = torch.maximum(largest, scores.amax(dim=1, keepdim=True))
    total, output = torch.zeros_like(largest), q.new_zeros(len(q), v.shape[1])
    for k, v in tiles:
        weights = torch.exp(q @ k.T / math.sqrt(q.shape[1]) - largest)
        total = total + weights.sum(dim=1, keepdim=True)
        output = output + weights @ v
    return output / total
