"""prefetch: takes the next batch ahead but moves it only when it is handed out

Breaks: The batches, moved to a device; each move starts before the previous batch is handed out.
"""

_right_prefetch = prefetch


def prefetch(batches, device):
    for batch in _right_prefetch(batches, torch.device("cpu")):
        yield tuple(tensor.to(device) for tensor in batch)
