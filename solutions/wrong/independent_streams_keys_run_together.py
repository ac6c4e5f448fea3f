"""independent_streams: hashes the keys joined without a separator"""


def stream_seed(seed, *keys):
    for key in keys:
        if not isinstance(key, (int, str)):
            raise TypeError(key)
    text = "".join(map(str, (seed, *keys)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little") % 2**63
