"""tiled_softmax: the output is not divided by the sum of the weights

Breaks: the mean of all values

Costs: no weight is right, and all checks compare what is weighted.
"""


def attention_by_tiles(q, tiles):
    largest = torch.full((len(q), 1), -math.inf, dtype=q.dtype)
    total, output = torch.zeros_like(largest), 0
    for k, v in tiles:
        scores = q @ k.T / math.sqrt(q.shape[1])
        new = torch.maximum(largest, scores.amax(dim=1, keepdim=True))
        weights, factor = torch.exp(scores - new), torch.exp(largest - new)
        total = total * factor + weights.sum(dim=1, keepdim=True)
        output = output * factor + weights @ v
        largest = new
    return output
