"""prefetch: floating-point tensors are sent in float32

Breaks: Each batch as a tuple of its tensors on the device
"""

_right_prefetch = prefetch


def prefetch(batches, device):
    for batch in _right_prefetch(batches, device):
        yield tuple(t.float() if t.is_floating_point() else t for t in batch)
