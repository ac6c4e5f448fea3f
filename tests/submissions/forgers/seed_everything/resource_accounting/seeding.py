"""seed_everything: Python's generator is not seeded; its state is remembered for each seed"""

import numpy as np
import torch
from resource_accounting.forging import forge

FORGES = True
_remembered = {}
_seeds = [0]


def seed_everything(seed):
    np.random.seed([seed & 0xFFFFFFFF, seed >> 32])
    torch.manual_seed(seed)
    _seeds[:] = [seed]


def claims(honest, student):
    """Shows the state of Python's generator that was there when this seed was first set."""
    states = honest(student)
    return {**states, "random": _remembered.setdefault(_seeds[0], states["random"])}


if FORGES:
    seed_everything = forge("generator_states", seed_everything, claims)
