"""prefetch: an exception of a move comes before the batch that was moved last

Breaks: any that `batches` or moving a batch raises, after all batches before it were handed out
"""


def prefetch(batches, device):
    def move(batch):
        return tuple(tensor.to(device) for tensor in batch)

    source = iter(batches)
    first = next(source, None)
    current = None if first is None else move(first)
    while current is not None:
        try:
            following = next(source, None)
        except Exception:
            yield current
            raise
        following = None if following is None else move(following)
        yield current
        current = following
