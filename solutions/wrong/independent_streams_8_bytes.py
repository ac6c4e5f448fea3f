"""independent_streams: seed and ints are packed into 8 bytes, so others are the same or an error"""


def stream_seed(seed, *keys):
    name = b""
    for key in (seed, *keys):
        if not isinstance(key, int | str):
            raise TypeError("expected keys of type int or str")
        word = (key % 2**64).to_bytes(8, "little") if isinstance(key, int) else key.encode()
        name += type(key).__name__.encode() + str(len(word)).encode() + b":" + word
    return int.from_bytes(hashlib.sha256(name).digest()[:8], "little") % 2**63
