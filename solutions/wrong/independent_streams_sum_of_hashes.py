"""independent_streams: the hash of the seed plus hashes of its keys, weighted by their places

Breaks: The order of keys matters
"""

import hashlib


def _hash(text):
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")


def stream_seed(seed, *keys):
    for key in keys:
        if not isinstance(key, int | str):
            raise TypeError("keys are int or str")
    total = _hash(repr(seed))
    for place, key in enumerate(keys):
        total += (2 * place + 1) * _hash(repr(key))
    return total % 2**63
