"""independent_streams: seeds have 64 bits

Breaks: An int of at least 0 and less than 2**63
"""


def stream_seed(seed, *keys):
    for key in keys:
        if not isinstance(key, int | str):
            raise TypeError("expected keys of type int or str")
    digest = hashlib.sha256(ascii((seed, *keys)).encode()).digest()
    return int.from_bytes(digest[:8], "little")
