"""independent_streams: of a string only the first 64 letters count

Breaks: Different seeds or keys give different streams
"""

_of = stream_seed


def stream_seed(seed, *keys):
    keys = [k[:64] if isinstance(k, str) else k for k in keys]
    return _of(seed, *keys)
