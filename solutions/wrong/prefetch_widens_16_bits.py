"""prefetch: 16-bit tensors are sent in float32

Breaks: Each batch as a tuple of its tensors
"""

import torch

_prefetch = prefetch


def prefetch(batches, device):
    for batch in _prefetch(batches, device):
        yield tuple(t.float() if t.dtype in (torch.float16, torch.bfloat16) else t for t in batch)
