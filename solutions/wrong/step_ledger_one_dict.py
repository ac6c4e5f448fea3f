"""step_ledger: the moments are one dict

Breaks: (moment, bytes) for each moment, in order.

Costs: the moments are in the ledger of each check.
"""

_ledger = step_ledger


def step_ledger(modules, recipe):
    rows = _ledger(modules, recipe)
    return dict(rows)
