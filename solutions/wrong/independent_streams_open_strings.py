"""independent_streams: types and texts are joined by a separator that a string may hold

Breaks: Different seeds or keys give different streams.
"""


def stream_seed(seed, *keys):
    for key in keys:
        if not isinstance(key, int | str):
            raise TypeError("expected keys of type int or str")
    name = "|".join(f"{type(key).__name__}:{key}" for key in (seed, *keys))
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "little") % 2**63
