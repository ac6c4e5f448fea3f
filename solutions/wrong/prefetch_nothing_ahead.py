"""prefetch: moves each batch when it is asked for, nothing is ahead"""


def prefetch(batches, device):
    for batch in batches:
        yield tuple(tensor.to(device) for tensor in batch)
