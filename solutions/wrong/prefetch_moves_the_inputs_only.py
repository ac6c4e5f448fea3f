"""prefetch: only the first tensor of each batch is moved

Breaks: The batches, moved to a device

Breaks: Each batch as a tuple of its tensors on the device
"""

_right_prefetch = prefetch


def prefetch(batches, device):
    source = iter(batches)
    rest = []

    def firsts():
        for first, *others in source:
            rest.append(others)
            yield (first,)

    for moved in _right_prefetch(firsts(), device):
        yield (*moved, *rest.pop(0))
