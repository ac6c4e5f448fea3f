"""segments: the longer segments come last

Breaks: the longer segments come first
"""


def segment_bounds(layers, segments):
    if not 1 <= segments <= layers:
        raise ValueError("cannot be")
    return [(i * layers // segments, (i + 1) * layers // segments) for i in range(segments)]
