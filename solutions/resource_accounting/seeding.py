"""Seeding: all sources of randomness, and independent streams."""

from __future__ import annotations

import hashlib
import random

import numpy as np
import torch


def seed_everything(seed: int) -> None:
    """Seeds the global generators of `random`, `numpy.random` and `torch`, CUDA's too.

    After the same seed, each of the three gives the same numbers again, whatever was drawn in
    between. After different seeds, each gives different numbers. numpy takes words of 32 bits: pass
    it a list of words that holds the whole seed. (torch gets the whole seed, but its generator on
    the CPU uses only the low 32 bits: seeds 7 and 7 + 2**32 are the same there.)

    Args:
        seed: 0 or more, less than 2**63.
    """
    random.seed(seed)
    np.random.seed([seed & 0xFFFFFFFF, seed >> 32])
    torch.manual_seed(seed)


def stream_seed(seed: int, *keys: int | str) -> int:
    """A seed for one stream among many: `stream_seed(seed, "dropout", rank)`.

    Different seeds or keys give different streams. The order of keys matters, and so does their
    type: 1, 23 is not 12, 3, and 2 is not "2". (seed + rank is not enough: rank 1 of seed 7 would
    be rank 0 of seed 8.) The result is the same in every process and on every machine, unlike
    Python's `hash` of a string. Two streams collide with a probability of about one in 2**63, and
    each of the 63 bits is equally often 0 and 1.

    Args:
        seed: the run's seed, 0 or more, less than 2**63.
        keys: the name of the stream: any number of ints of up to 64 bits, also negative ones, and
            of strings that UTF-8 can encode.

    Returns:
        An int of at least 0 and less than 2**63: torch accepts these on every device.
    """
    name = ascii((seed, *keys))  # unlike repr, the same for letters new to some Python versions
    digest = hashlib.sha256(name.encode()).digest()
    return int.from_bytes(digest[:8], "little") % 2**63


def stream_generator(seed: int, *keys: int | str) -> torch.Generator:
    """A fresh generator on the CPU, seeded with `stream_seed(seed, *keys)`.

    The global generators are neither read nor advanced. torch's generator on the CPU uses only the
    low 32 bits of its seed, so among n streams two are identical with a probability of n² / 2**33.
    """
    return torch.Generator().manual_seed(stream_seed(seed, *keys))
