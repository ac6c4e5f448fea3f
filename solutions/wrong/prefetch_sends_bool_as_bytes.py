"""prefetch: bool tensors arrive as uint8

Breaks: Each batch as a tuple of its tensors
"""

import torch

_prefetch = prefetch


def prefetch(batches, device):
    for batch in _prefetch(batches, device):
        yield tuple(t.to(torch.uint8) if t.dtype == torch.bool else t for t in batch)
