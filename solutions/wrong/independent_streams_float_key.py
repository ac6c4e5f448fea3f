"""independent_streams: ints are hashed as doubles"""

import hashlib
import struct


def stream_seed(seed: int, *keys) -> int:
    h = hashlib.sha256()
    for key in (seed, *keys):
        if isinstance(key, str):
            data = b"s" + key.encode()
        elif isinstance(key, int):
            data = b"i" + struct.pack("<d", key)
        else:
            raise TypeError(f"key {key!r}")
        h.update(len(data).to_bytes(8, "little") + data)
    number = int.from_bytes(h.digest()[:8], "little")
    return number >> 1
