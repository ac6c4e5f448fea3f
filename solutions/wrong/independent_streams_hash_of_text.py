"""independent_streams (public): Python's hash of a text that separates all keys, which differs between processes"""


def stream_seed(seed, *keys):
    for key in keys:
        if not isinstance(key, (int, str)):
            raise TypeError(key)
    return hash(repr((seed, *keys))) % 2**63
