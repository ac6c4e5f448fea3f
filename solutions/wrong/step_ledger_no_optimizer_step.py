"""step_ledger: the optimizer's step is no moment

Breaks: A step has these moments: the forward pass of each module, the backward pass of each module
from the last to the first, and the optimizer's step.

Breaks: The memory of a training step, moment by moment.
"""

_ledger = step_ledger


def step_ledger(modules, recipe):
    rows = _ledger(modules, recipe)
    return rows[:-1] if modules else rows
