"""prefetch: the last batch, which has none after it, is not handed out

Breaks: Each batch as a tuple of its tensors on the device, in order
"""


def prefetch(batches, device):
    current = None
    for batch in batches:
        following = tuple(tensor.to(device) for tensor in batch)
        if current is not None:
            yield current
        current = following
