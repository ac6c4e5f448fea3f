"""independent_streams: strings are compared without case

Breaks: Different seeds or keys give different streams
"""

_of = stream_seed


def stream_seed(seed, *keys):
    keys = [k.lower() if isinstance(k, str) else k for k in keys]
    return _of(seed, *keys)
