"""independent_streams: letters beyond ASCII are all encoded as question marks

Breaks: Different seeds or keys give different streams
"""

_of = stream_seed


def stream_seed(seed, *keys):
    keys = [k.encode("ascii", "replace").decode() if isinstance(k, str) else k for k in keys]
    return _of(seed, *keys)
