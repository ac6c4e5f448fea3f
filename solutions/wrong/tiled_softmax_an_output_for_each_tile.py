"""tiled_softmax: each tile has an output of its own, and all are joined in the end

Breaks: memory does not grow with the number of tiles

Costs: that neither tiles nor scores are kept is part of the work, which each check needs.
"""


def attention_by_tiles(q, tiles):
    logs, outputs = [], []
    for k, v in tiles:
        scores = q @ k.T / math.sqrt(q.shape[1])
        logs.append(scores.logsumexp(dim=1))
        outputs.append(torch.softmax(scores, dim=1) @ v)
    shares = torch.softmax(torch.stack(logs), dim=0)
    return (shares[:, :, None] * torch.stack(outputs)).sum(dim=0)
