"""independent_streams: Python's hash, which differs from process to process for texts

Breaks: The result is the same in every process and on every machine, unlike Python's `hash` of a
string.
"""


def stream_seed(seed, *keys):
    for key in keys:
        if not isinstance(key, (int, str)):
            raise TypeError(key)
    return hash((seed, *keys)) % 2**63
