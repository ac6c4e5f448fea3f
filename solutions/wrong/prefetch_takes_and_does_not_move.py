"""prefetch (public): takes the next batch ahead but moves it only when it is handed out"""

_right_prefetch = prefetch


def prefetch(batches, device):
    for batch in _right_prefetch(batches, torch.device("cpu")):
        yield tuple(tensor.to(device) for tensor in batch)
