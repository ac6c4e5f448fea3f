"""independent_streams: ints are taken modulo 2**128

Breaks: Different seeds or keys give different streams
"""

_of = stream_seed


def stream_seed(seed, *keys):
    for key in keys:
        if not isinstance(key, int | str):
            raise TypeError("keys are int or str")
    short = [key if isinstance(key, str) else key % 2**128 for key in (seed, *keys)]
    return _of(*short)
