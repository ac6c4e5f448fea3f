"""independent_streams: hashes the keys joined without a separator

Breaks: and so does their type: 1, 23 is not 12, 3, and 2 is not "2".
"""


def stream_seed(seed, *keys):
    for key in keys:
        if not isinstance(key, (int, str)):
            raise TypeError(key)
    text = "".join(map(str, (seed, *keys)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little") % 2**63
