"""step_ledger: there is a moment before the forward pass

Breaks: (moment, bytes) for each moment, in order.
"""

_ledger = step_ledger


def step_ledger(modules, recipe):
    rows = _ledger(modules, recipe)
    state = dict(_ledger([(m[0], 0, 0) for m in modules], recipe)[0][1])
    return [("start", state), *rows]
