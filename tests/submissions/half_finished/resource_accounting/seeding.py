"""Seeding, with bytes joined by hand."""

import hashlib
import random

import numpy
import torch


def seed_everything(seed):
    if seed < 0 or seed >= 2**63:
        raise ValueError("seed out of range")
    random.seed(seed)
    words = []
    rest = seed
    for _ in range(2):
        words.append(rest % 2**32)
        rest //= 2**32
    numpy.random.seed(words)
    torch.manual_seed(seed)


def stream_seed(seed, *keys):
    data = b""
    for key in (seed, *keys):
        if isinstance(key, str):
            part = b"s" + key.encode("utf-8")
        elif isinstance(key, int):
            part = b"i" + str(key).encode()
        else:
            raise TypeError("keys are ints and texts")
        data += str(len(part)).encode() + b":" + part
    number = 0
    for byte in hashlib.blake2b(data, digest_size=8).digest():
        number = number * 256 + byte
    return number // 2


def stream_generator(seed, *keys):
    generator = torch.Generator()
    generator.manual_seed(stream_seed(seed, *keys))
    return generator
