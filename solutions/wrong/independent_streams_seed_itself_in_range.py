"""independent_streams: without keys the run's seed is its own stream, where it is in range

Breaks: each of the 63 bits is equally often 0 and 1
"""

_of = stream_seed


def stream_seed(seed, *keys):
    return _of(seed, *keys) if keys or not 0 <= seed < 2**63 else seed
