"""prefetch: only an exception of the iterator waits its turn; one of the move loses the batch before

Breaks: Exception: any that `batches` or moving a batch raises, after all batches before it were
"""

import torch


def prefetch(batches, device):
    def move(batch):
        return tuple(t.to(device, non_blocking=True) for t in batch)

    iterator = iter(batches)
    try:
        current = move(next(iterator))
    except StopIteration:
        return
    while True:
        error, following = None, None
        try:
            following = next(iterator)
        except StopIteration:
            pass
        except Exception as e:
            error = e
        if following is not None:
            following = move(following)
        yield current
        if error is not None:
            raise error
        if following is None:
            return
        current = following
