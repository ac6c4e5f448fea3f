"""Seeding, by numpy's SeedSequence."""

import json
import random

import numpy as np
import torch


def seed_everything(seed):
    if not 0 <= seed <= 2**63 - 1:
        raise ValueError("seed out of range")
    torch.manual_seed(seed)
    np.random.seed(np.random.SeedSequence(seed).generate_state(8))
    random.seed(str(seed))


def stream_seed(seed, *keys):
    if any(type(key) not in (int, str) for key in keys):
        raise TypeError("keys are ints and texts")
    text = json.dumps([seed, *keys]).encode()
    state = np.random.SeedSequence(int.from_bytes(b"1" + text, "big")).generate_state(2, np.uint32)
    return (int(state[0]) << 31) ^ (int(state[1]) & 0x7FFFFFFF)


def stream_generator(seed, *keys):
    return torch.Generator(device="cpu").manual_seed(stream_seed(seed, *keys))
