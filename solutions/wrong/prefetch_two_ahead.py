"""prefetch: is two batches ahead, not one

Breaks: Always exactly one batch ahead, never more
"""

_right_prefetch = prefetch


def prefetch(batches, device):
    return _right_prefetch(_right_prefetch(batches, device), device)
