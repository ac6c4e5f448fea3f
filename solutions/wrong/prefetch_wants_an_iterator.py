"""prefetch: calls next on what may be a list"""

_right_prefetch = prefetch


def prefetch(batches, device):
    def source():
        while True:
            try:
                batch = next(batches)
            except StopIteration:
                return
            yield batch

    yield from _right_prefetch(source(), device)
