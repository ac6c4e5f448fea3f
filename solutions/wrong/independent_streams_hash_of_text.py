"""independent_streams: Python's hash of a text that separates all keys, which differs between processes

Breaks: The result is the same in every process and on every machine, unlike Python's `hash` of a
string.
"""


def stream_seed(seed, *keys):
    for key in keys:
        if not isinstance(key, (int, str)):
            raise TypeError(key)
    return hash(repr((seed, *keys))) % 2**63
