"""prefetch: takes the first batch when it is made, before one is asked for

Breaks: Nothing is taken before the first batch is requested
"""

_right_prefetch = prefetch


def prefetch(batches, device):
    source = iter(batches)
    first = list(itertools.islice(source, 1))
    return _right_prefetch(itertools.chain(first, source), device)


import itertools
