"""Seeding: every source of randomness, and streams that never meet.

A run that cannot be repeated cannot be debugged. Randomness enters it at several places: Python's
`random`, numpy's global generator, torch's. And it needs many streams: each data-parallel rank must
drop other activations, each data worker shuffle in its own way, all of them from one seed.
"""

from __future__ import annotations

import hashlib
import random

import numpy as np
import torch


def seed_everything(seed: int) -> None:
    """Seeds the global generators of `random`, `numpy.random` and `torch`, CUDA's too.

    After it, each of the three repeats what it gave after the same seed before, whatever was drawn
    in between. Different seeds make each of them differ. numpy takes words of 32 bits: give it
    the whole seed, in two of them. (torch is given the whole seed, but its generator on the CPU
    looks at the low 32 bits alone: seeds 7 and 7 + 2**32 are one seed there.)

    Args:
        seed: 0 or more, less than 2**63.

    Raises:
        ValueError: the seed lies outside that range. No generator has been touched then.
    """
    raise NotImplementedError(
        "seed_everything: not started; see assignment/writeup/seeding.md, "
        "or make hint EX=seed_everything"
    )


def stream_seed(seed: int, *keys: int | str) -> int:
    """A seed for one stream among many: `stream_seed(seed, "dropout", rank)`.

    Different seeds or keys give different streams; the order of keys counts, and so does their
    kind: 1, 23 is not 12, 3, and 2 is not "2". (seed + rank is no stream: rank 1 of seed 7 would
    be rank 0 of seed 8.) The result is the same in every process and on every machine, which
    Python's `hash` of a text is not. No two collide but by a chance of one in about 2**63, and
    every bit is as often 0 as 1.

    Args:
        seed: the run's seed, any int.
        keys: what names the stream: any number of ints and texts.

    Returns:
        An int of at least 0 and less than 2**63.

    Raises:
        TypeError: a key is neither an int nor a str.
    """
    raise NotImplementedError(
        "independent_streams: not started; see assignment/writeup/seeding.md, "
        "or make hint EX=independent_streams"
    )


def stream_generator(seed: int, *keys: int | str) -> torch.Generator:
    """A fresh generator on the CPU, seeded with `stream_seed(seed, *keys)`.

    The global generators are neither read nor moved on. torch's generator on the CPU looks at the
    low 32 bits of its seed alone, so two of n streams are one with a chance of n² / 2**33: for a
    thousand of them, 1 in 8600.

    Raises:
        TypeError: as `stream_seed`.
    """
    raise NotImplementedError(
        "independent_streams: not started; see assignment/writeup/seeding.md, "
        "or make hint EX=independent_streams"
    )
