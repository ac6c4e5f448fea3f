"""tiled_softmax: the softmax goes over the queries

Breaks: for each query the mean of all values

Costs: no weight is right, and all checks compare what is weighted.
"""


def attention_by_tiles(q, tiles):
    output = 0
    for k, v in tiles:
        output = output + torch.softmax(q @ k.T / math.sqrt(q.shape[1]), dim=0) @ v
    return output
