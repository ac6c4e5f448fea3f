"""prefetch: an exception of the source ends it, as if there were no more batches"""

_right_prefetch = prefetch


def prefetch(batches, device):
    try:
        yield from _right_prefetch(batches, device)
    except Exception:
        return
