"""independent_streams: names become CRC32 numbers before they are folded in, as in jax examples

Breaks: Two streams collide with a probability of about one in 2**63, and
"""

import hashlib
import zlib

import torch


def _fold_in(state, tag, number):
    return hashlib.sha256(state + b"|" + tag + b"|" + hex(number).encode()).digest()


def stream_seed(seed, *keys):
    state = _fold_in(b"", b"seed", seed)
    for key in keys:
        if isinstance(key, str):
            state = _fold_in(state, b"name", zlib.crc32(key.encode("utf-8")))
        elif isinstance(key, int):
            state = _fold_in(state, b"index", key)
        else:
            raise TypeError(f"a key must be an int or a str, not {type(key).__name__}")
    return int.from_bytes(state[:8], "big") >> 1


def stream_generator(seed, *keys):
    return torch.Generator().manual_seed(stream_seed(seed, *keys))
