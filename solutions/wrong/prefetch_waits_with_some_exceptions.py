"""prefetch: only a RuntimeError or a LookupError waits until the batch before is handed out

Breaks: any that `batches` or moving a batch raises
"""


def prefetch(batches, device):
    moved = map(lambda batch: tuple(tensor.to(device) for tensor in batch), batches)
    current = next(moved, None)
    while current is not None:
        try:
            following = next(moved, None)
        except (RuntimeError, LookupError):
            yield current
            raise
        yield current
        current = following
