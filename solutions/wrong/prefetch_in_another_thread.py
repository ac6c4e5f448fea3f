"""prefetch: another thread takes the batches, one at a time

Breaks: Everything happens in the calling thread
"""

from concurrent.futures import ThreadPoolExecutor

_right_prefetch = prefetch


def prefetch(batches, device):
    def taken():
        source = iter(batches)
        while True:
            with ThreadPoolExecutor(1) as pool:
                batch = pool.submit(next, source, None).result()
            if batch is None:
                return
            yield batch

    yield from _right_prefetch(taken(), device)
