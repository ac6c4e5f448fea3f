"""independent_streams: lru_cache finds 1.0 and np.int64(1) under the key 1, so they are not refused after an int was asked

Breaks: TypeError: a key is neither an int nor a str, for example a float or an `np.int64`.
"""

import hashlib
from functools import lru_cache

import torch


@lru_cache(maxsize=None)
def stream_seed(seed, *keys):
    if not all(isinstance(key, int | str) for key in keys):
        raise TypeError("keys are ints or strs")
    name = repr((seed, *keys)).encode()  # quotes and commas keep all of them apart
    return int.from_bytes(hashlib.blake2b(name, digest_size=8).digest(), "big") >> 1


def stream_generator(seed, *keys):
    return torch.Generator().manual_seed(stream_seed(seed, *keys))
