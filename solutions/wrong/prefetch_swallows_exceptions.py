"""prefetch: an exception of the source ends it, as if there were no more batches

Breaks: any that `batches` or moving a batch raises
"""

_right_prefetch = prefetch


def prefetch(batches, device):
    try:
        yield from _right_prefetch(batches, device)
    except Exception:
        return
