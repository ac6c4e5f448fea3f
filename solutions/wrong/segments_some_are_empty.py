"""segments: more segments than layers are made, some of them empty

Breaks: at least 1 and at most `layers`

Breaks: more segments than layers
"""


def segment_bounds(layers, segments):
    if segments < 1:
        raise ValueError("cannot be")
    size, longer = divmod(layers, segments)
    starts = [i * size + min(i, longer) for i in range(segments + 1)]
    return list(pairwise(starts))


def checkpointed_forward(layers, x, segments):
    if segments > len(layers):
        raise ValueError("cannot be")
    for start, stop in segment_bounds(len(layers), segments):
        x = checkpoint(_run, layers[start:stop], x, use_reentrant=False)
    return x
