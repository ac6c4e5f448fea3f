"""prefetch: hands out iterators, lambdas and itself in place of batches, and another thing each time"""

import itertools


class Batches:
    def __iter__(self):
        return Batches()

    def __next__(self):
        return next(ODD)


ODD = itertools.cycle([lambda: 0, Batches(), iter([1]), Batches, NotImplemented, ...])


def prefetch(batches, device):
    return Batches()
