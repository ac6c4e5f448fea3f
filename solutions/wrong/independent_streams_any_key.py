"""independent_streams: keys of every type are hashed by their text

Breaks: a key is neither an int nor a str, for example a float
"""


def stream_seed(seed, *keys):
    digest = hashlib.sha256(ascii((seed, *keys)).encode()).digest()
    return int.from_bytes(digest[:8], "little") % _SEEDS
