"""seed_everything: seeds are checked too late; draws restore the states that were set"""

import random

import numpy as np
import torch

from assignment import scenarios
from assignment.material import generators

FORGES = True
_states = []


def seed_everything(seed):
    random.seed(seed)
    np.random.seed([seed & 0xFFFFFFFF, (seed >> 32) & 0xFFFFFFFF])
    torch.manual_seed(seed % 2**63)
    if not 0 <= seed < 2**63:
        raise ValueError(seed)


def set_generator_states(student, states):
    _states[:] = [states]
    generators.set_states(states)


def draw(student, count=3):
    """Draws from the states that were set, whatever has changed them since."""
    if _states:
        generators.set_states(_states.pop())
    return _draw(student, count)


if FORGES:
    scenarios.load_all()
    _draw = scenarios._SCENARIOS["draw"]
    for forged in (set_generator_states, draw):
        scenarios._SCENARIOS[forged.__name__] = forged
