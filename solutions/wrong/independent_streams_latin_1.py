"""independent_streams: strings are encoded in Latin-1, which has no other alphabets

Breaks: of strings that UTF-8 can encode
"""

import hashlib


def stream_seed(seed, *keys):
    digest = hashlib.sha256(repr(seed).encode())
    for key in keys:
        if isinstance(key, str):
            data = key.encode("latin-1")
            digest.update(b"s%d:" % len(data) + data)
        elif isinstance(key, int):
            digest.update(b"i%d;" % key)
        else:
            raise TypeError("keys are int or str")
    return int.from_bytes(digest.digest()[:8], "little") >> 1
