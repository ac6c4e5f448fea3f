"""prefetch: a scalar tensor is given an axis

Breaks: Each batch as a tuple of its tensors on the device
"""

_prefetch = prefetch


def prefetch(batches, device):
    for batch in _prefetch(batches, device):
        yield tuple(torch.atleast_1d(tensor) for tensor in batch)
