"""independent_streams: Python's hash of a text that keeps everything apart, in this process"""


def stream_seed(seed, *keys):
    for key in keys:
        if not isinstance(key, (int, str)):
            raise TypeError(key)
    return hash(repr((seed, *keys))) % 2**63
