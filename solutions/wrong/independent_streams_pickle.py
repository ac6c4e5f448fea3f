"""independent_streams: hashes a pickle, which writes a string that it has seen as a reference

Breaks: The result is the same in every process and on every machine, unlike
    Python's `hash` of a string.
"""

import hashlib
import pickle

import torch


def stream_seed(seed, *keys):
    if not all(isinstance(k, (int, str)) for k in keys):
        raise TypeError("keys are ints and strings")
    digest = hashlib.sha256(pickle.dumps((seed, keys), protocol=4)).digest()
    return int.from_bytes(digest[:8], "big") >> 1


def stream_generator(seed, *keys):
    return torch.Generator().manual_seed(stream_seed(seed, *keys))
