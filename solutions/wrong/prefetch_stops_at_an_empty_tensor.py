"""prefetch: a batch whose first tensor is empty ends the iteration

Breaks: The batches, moved to a device
"""

import torch


def prefetch(batches, device):
    def move(batch):
        return tuple(tensor.to(device) for tensor in batch)

    iterator = iter(batches)
    following = next(iterator, None)
    current = None if following is None else move(following)
    while current is not None and len(current[0]):
        try:
            following = next(iterator, None)
            moved = None if following is None else move(following)
        except Exception:
            yield current
            raise
        yield current
        current = moved
