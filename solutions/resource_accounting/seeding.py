"""Seeding: every source of randomness, and streams that never meet."""

from __future__ import annotations

import torch


def seed_everything(seed: int) -> None:
    """x"""
    raise NotImplementedError


def stream_seed(seed: int, *keys: int | str) -> int:
    """x"""
    raise NotImplementedError


def stream_generator(seed: int, *keys: int | str) -> torch.Generator:
    """x"""
    raise NotImplementedError
