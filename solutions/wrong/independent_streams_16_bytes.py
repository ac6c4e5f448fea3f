"""independent_streams: ints are packed into 16 bytes"""

import hashlib

import torch


def stream_seed(seed, *keys):
    digest = hashlib.sha256(seed.to_bytes(16, "little", signed=True))
    for key in keys:
        if isinstance(key, str):
            data = key.encode()
            digest.update(b"s" + len(data).to_bytes(8, "little") + data)
        elif isinstance(key, int):
            digest.update(b"i" + key.to_bytes(16, "little", signed=True))
        else:
            raise TypeError("keys are int or str")
    return int.from_bytes(digest.digest()[:8], "little") >> 1


def stream_generator(seed, *keys):
    return torch.Generator().manual_seed(stream_seed(seed, *keys))
